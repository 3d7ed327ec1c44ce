// Explains why there was no answer, and what to do. Node puts the error code deep into the causes of an error.

interface Trouble {
  why: string | ((error: Error) => string)
  next?: string
}

const trustOwn =
  'If it is the certificate of your own authority, name its file: NODE_EXTRA_CA_CERTS=/path/to/ca.pem svc …'
const notHttp: Trouble = {
  why: 'what answers there does not speak HTTP',
  next: 'Check the URL and its port.',
}
const brokeOff: Trouble = {
  why: 'the connection broke off',
  next: 'Try again. If it happens again, look at the proxy in front of the platform and at its log.',
}
const unknownName: Trouble = {
  why: 'the name was not found',
  next: 'Check the URL for typing errors, and your connection.',
}
const noRoute: Trouble = { why: 'there is no way to that network', next: 'Check your connection.' }
const noTls: Trouble = {
  why: 'there is no TLS on that port',
  next: 'If the platform speaks plain http there, use a URL that begins with http://.',
}
const unverified: Trouble = {
  why: 'its certificate is not trusted: the authority that issued it is not known here',
  next: trustOwn,
}

const troubles: Record<string, Trouble> = {
  ECONNREFUSED: {
    why: 'the connection was refused',
    next: 'Nothing listens there. Check the URL and its port, and that the platform is running.',
  },
  ENOTFOUND: unknownName,
  EAI_AGAIN: { ...unknownName, why: 'the name could not be looked up' },
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ETIMEDOUT: {
    why: 'the connection timed out',
    next: 'Check the URL, and that no firewall is in the way.',
  },
  UND_ERR_CONNECT_TIMEOUT: {
    why: 'the connection timed out',
    next: 'Check the URL, and that no firewall is in the way.',
  },
  TimeoutError: {
    why: error => error.message,
    next: 'Try again. SVC_TIMEOUT=<seconds> sets how long svc waits.',
  },
  ECONNRESET: brokeOff,
  ECONNABORTED: brokeOff,
  EPIPE: brokeOff,
  UND_ERR_SOCKET: brokeOff,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: brokeOff,
  CERT_HAS_EXPIRED: {
    why: 'its certificate is not trusted: it has expired',
    next: "Renew it on the platform; 'svcd doctor' there tells more.",
  },
  CERT_NOT_YET_VALID: {
    why: 'its certificate is not trusted: it is not valid yet',
    next: 'Check the clock of this machine.',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: { why: 'its certificate is not trusted: it is self-signed', next: trustOwn },
  SELF_SIGNED_CERT_IN_CHAIN: {
    why: 'its certificate is not trusted: a self-signed one is in its chain',
    next: trustOwn,
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unverified,
  UNABLE_TO_GET_ISSUER_CERT: unverified,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unverified,
  CERT_REVOKED: { why: 'its certificate is not trusted: it was revoked' },
  ERR_TLS_CERT_ALTNAME_INVALID: { why: wrongHost, next: 'Use a URL that the certificate is for.' },
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  EPROTO: noTls,
  HPE: notHttp,
  // fetch refuses the ports of some other protocols, and sends nothing.
  'bad port': {
    why: 'the connection was refused: the port belongs to another protocol',
    next: 'Let the platform listen on another port.',
  },
}

/** `the connection was refused` */
export function networkReason(cause: unknown): string | undefined {
  const { error, trouble } = find(cause) ?? {}
  if (!error || !trouble) return undefined
  return typeof trouble.why === 'string' ? trouble.why : trouble.why(error)
}

export const networkAdvice = (cause: unknown): string | undefined => find(cause)?.trouble.next

/** Whether an open connection was lost. */
export const isBrokenOff = (cause: unknown): boolean => find(cause)?.trouble === brokeOff

function find(cause: unknown, depth = 0): { error: Error; trouble: Trouble } | undefined {
  if (!(cause instanceof Error) || depth > 5) return undefined
  const trouble = troubles[signOf(cause)]
  if (trouble) return { error: cause, trouble }
  // A name with several addresses fails once for each of them.
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause.cause
  return find(inner, depth + 1)
}

/** Returns the code of an error, or its name if it has no code. Errors of the HTTP parser are all called HPE. */
function signOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  if (typeof code === 'string') return code.startsWith('HPE_') ? 'HPE' : code
  return error.message === 'bad port' ? error.message : error.name
}

function wrongHost(error: Error): string {
  const { cert } = error as Error & { cert?: { subjectaltname?: string; subject?: { CN?: string } } }
  const names = cert?.subjectaltname?.replace(/DNS:|IP Address:/g, '') ?? cert?.subject?.CN
  return `its certificate is not trusted: it is for ${names?.slice(0, 200) || 'another host'}`
}

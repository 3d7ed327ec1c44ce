// Probes a domain with a real TLS handshake. It refuses private addresses unless they are allowed.
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { isPrivate } from '../../lib/private-addresses.ts'
import type { AddressLookup } from '../dns/port.ts'
import type { ShownCertificate, TlsProbe } from './port.ts'

interface HandshakeSettings {
  port: number
  allowPrivate: boolean
  addresses: AddressLookup
  /** Certificates of further trusted authorities. */
  ca?: string[]
}

/** The limit for the DNS lookup and the handshake together. */
const timeLimitMs = 5_000

export const handshakeProbe = (settings: HandshakeSettings): TlsProbe => {
  return async domain => {
    const end = Date.now() + timeLimitMs
    try {
      const found = await settings.addresses(domain)
      // Connect to the address that was checked. A second lookup of the name could give another one.
      const address = found.find(candidate => settings.allowPrivate || !isPrivate(candidate))
      // The message is the same for a private address, so that a customer cannot find out the names of a private network.
      if (address === undefined) return { unreachable: `${domain} has no public address in the DNS` }
      return await shake(domain, address, settings, end - Date.now())
    } catch (error) {
      return { unreachable: wordsFor(error, domain, settings.port) }
    }
  }
}

function shake(
  domain: string,
  host: string,
  { port, ca }: HandshakeSettings,
  ms: number,
): Promise<ShownCertificate> {
  return new Promise((resolve, reject) => {
    const trust = ca ? { ca } : {}
    const socket = connect({ host, port, servername: domain, rejectUnauthorized: false, ...trust })
    const limit = setTimeout(
      () => socket.destroy(new Error(`${domain} does not answer on port ${port} in time`)),
      ms,
    )
    socket.once('close', () => clearTimeout(limit))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      resolve(describe(socket))
      socket.destroy()
    })
  })
}

function describe(socket: TLSSocket): ShownCertificate {
  const certificate = socket.getPeerCertificate()
  const reason: unknown = socket.authorizationError
  return {
    issuer: nameOf(certificate.issuer),
    subject: nameOf(certificate.subject) || firstName(certificate.subjectaltname),
    validFrom: Date.parse(certificate.valid_from),
    validTo: Date.parse(certificate.valid_to),
    problem: socket.authorized ? undefined : problemWords(reason),
  }
}

function nameOf(name: PeerCertificate['issuer'] | undefined): string {
  const part = name?.CN ?? name?.O ?? ''
  return Array.isArray(part) ? part.join(', ') : part
}

/** The first DNS name. It replaces the subject, which authorities leave empty in short-lived certificates. */
const firstName = (names = ''): string => /(?:^|, )DNS:([^,]+)/.exec(names)?.[1] ?? ''

const problems: Record<string, string> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the chain ends in an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the chain is incomplete or not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the chain ends in an authority that is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
}

function problemWords(reason: unknown): string {
  const code =
    reason instanceof Error ? ((reason as NodeJS.ErrnoException).code ?? reason.message) : String(reason)
  return problems[code] ?? code
}

function wordsFor(error: unknown, domain: string, port: number): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return `nothing answers on port ${port} of ${domain}`
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `there is no way from here to ${domain}`
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return `${domain} closed the connection before it showed a certificate`
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
    return `what answers on port ${port} of ${domain} speaks no TLS, or has no certificate for it yet`
  return message
}

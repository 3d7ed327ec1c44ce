// AWS Signature Version 4 in request headers. It signs the query, the headers and the hash of the body.
import { createHash, createHmac } from 'node:crypto'

export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
}

interface Signable {
  method: string
  url: URL
  /** With lower-case names. All of them are signed. */
  headers: Record<string, string>
  /** SHA-256 of the body in hex. */
  bodyHash: string
}

export const emptyHash = sha256('')

/** The given headers plus those of the signature. */
export function signed(
  request: Signable,
  credentials: Credentials,
  region: string,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.url.host,
    'x-amz-content-sha256': request.bodyHash,
    'x-amz-date': time,
  }
  const names = Object.keys(headers).sort()
  const canonical = [
    request.method,
    request.url.pathname,
    canonicalQuery(request.url.searchParams),
    ...names.map(name => `${name}:${headers[name]!.trim()}`),
    '',
    names.join(';'),
    request.bodyHash,
  ].join('\n')
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request']
  const toSign = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n')
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`)
  const { host: _host, ...sent } = headers
  sent.authorization =
    `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope.join('/')},` +
    `SignedHeaders=${names.join(';')},Signature=${hmac(key, toSign).toString('hex')}`
  return sent
}

/** The sorted and encoded query. Send the query in this form, since the server verifies its signature. */
export function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
}

/** Percent-encodes everything except letters, digits and `-._~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

export function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

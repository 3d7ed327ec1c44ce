// Requests that no part of the platform answers: nobody knows their method, or they do not name one address.
import { type IncomingMessage, METHODS } from 'node:http'
import type { Exchange } from './exchange.ts'
import { hostname } from './hosts.ts'
import type { PageName } from './pages.ts'

/** Case-sensitive. The parser of HTTP/1.1 refuses all others itself; HTTP/2 passes on whatever a client sends. */
const methods = new Set(METHODS)

/** The page that refuses the request; undefined if it is well-formed. */
export function refusalOf({ req }: Exchange): PageName | undefined {
  if (!methods.has(req.method!)) return 'unknownMethod'
  // A fragment never leaves the client (RFC 9112, 3.2): whoever reads one anyway may take it for part of the path.
  if (req.url!.includes('#')) return 'badRequest'
  return namesOneHost(req) ? undefined : 'badHost'
}

/** RFC 9112, 3.2: more than one Host, or one that is no host, is refused even where the target names the host. */
function namesOneHost({ url, rawHeaders }: IncomingMessage): boolean {
  let host: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) return false
    host = rawHeaders[i + 1]!
    if (hostname(host) === undefined) return false
  }
  if (url!.charCodeAt(0) === 47 /* / */) return true
  const authority = /^https?:\/\/([^/?#]*)/i.exec(url!)
  return authority === null || hostname(authority[1]!) !== undefined
}

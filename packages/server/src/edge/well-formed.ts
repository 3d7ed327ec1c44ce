// Refuses malformed requests: an unknown method, a fragment in the target, or not exactly one valid host.
import { type IncomingMessage, METHODS } from 'node:http'
import { valuesIn } from '../lib/raw-headers.ts'
import type { Exchange } from './exchange.ts'
import { hostname } from './hosts.ts'
import type { PageName } from './pages.ts'

/** Case-sensitive. Node's HTTP/1.1 parser refuses unknown methods itself, but HTTP/2 passes on any method. */
const methods = new Set(METHODS)

/** The error page for the request. `undefined` if it is well-formed. */
export function refusalOf({ req }: Exchange): PageName | undefined {
  if (!methods.has(req.method!)) return 'unknownMethod'
  // Clients never send a fragment (RFC 9112, 3.2). An app might read it as a part of the path.
  if (req.url!.includes('#')) return 'badRequest'
  return namesOneHost(req) ? undefined : 'badHost'
}

/** More than one Host, or an invalid one, is refused even if the target is in absolute form (RFC 9112, 3.2). */
function namesOneHost({ url, rawHeaders }: IncomingMessage): boolean {
  const hosts = valuesIn(rawHeaders, 'host')
  if (hosts.length > 1 || hosts.some(host => hostname(host) === undefined)) return false
  if (url!.charCodeAt(0) === 47 /* / */) return true
  const authority = /^https?:\/\/([^/?#]*)/i.exec(url!)
  return authority === null || hostname(authority[1]!) !== undefined
}

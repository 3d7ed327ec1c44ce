// Finds malformed requests: an unknown method, a fragment in the target, several Host headers, or an invalid host.
import { type IncomingMessage, METHODS } from 'node:http'
import { valuesIn } from '../lib/raw-headers.ts'
import type { Exchange } from './exchange.ts'
import { hostname } from './hosts.ts'
import type { PageName } from './pages.ts'

/** Needed for HTTP/2, which passes on any method. Node's HTTP/1.1 parser refuses other methods itself. */
const methods = new Set(METHODS)

/** Returns the error page for a malformed request, or `undefined` if the request is well-formed. */
export function refusalOf({ req }: Exchange): PageName | undefined {
  if (!methods.has(req.method!)) return 'unknownMethod'
  // A target must not contain a fragment (RFC 9112, 3.2). An app might read the fragment as a part of the path.
  if (req.url!.includes('#')) return 'badRequest'
  return namesOneHost(req) ? undefined : 'badHost'
}

/**
 * Returns false if the request has several Host headers or an invalid host. The Host header is checked even if the target is
 * in absolute form (RFC 9112, 3.2).
 */
function namesOneHost({ url, rawHeaders }: IncomingMessage): boolean {
  const hosts = valuesIn(rawHeaders, 'host')
  if (hosts.length > 1 || hosts.some(host => hostname(host) === undefined)) return false
  if (url!.charCodeAt(0) === 47 /* / */) return true
  const authority = /^https?:\/\/([^/?#]*)/i.exec(url!)
  return authority === null || hostname(authority[1]!) !== undefined
}

// Redirects a request to the same URL at another origin.
import type { Exchange } from './exchange.ts'

/** With status 308, the client repeats a POST with its method and body. */
export function redirectToOrigin(exchange: Exchange, origin: string): void {
  const target = exchange.url.replace(/^https?:\/\/[^/?#]*/i, '')
  const path = target.startsWith('/') ? target : `/${target}`
  const headers = ['Location', origin + encodeBytes(path), 'Content-Length', '0']
  exchange.answer(308, [...headers, 'Cache-Control', 'public, max-age=0, must-revalidate'])
}

/** Redirects to another host, or to another label in the same domain, with the port that the request names. */
export function redirectToHost(
  exchange: Exchange,
  to: { host: string } | { label: string },
  viaHttps: boolean,
): void {
  const { hostname } = exchange
  const host = 'host' in to ? to.host : to.label + hostname.slice(hostname.indexOf('.'))
  const scheme = exchange.peer.secure || viaHttps ? 'https' : 'http'
  const port = /:\d+$/.exec(exchange.host ?? '')?.[0] ?? ''
  redirectToOrigin(exchange, `${scheme}://${host}${port}`)
}

/** Percent-encodes the bytes above 0x7f in a path. Node reads them as Latin-1 characters. */
const encodeBytes = (path: string): string =>
  path.replace(/[\x80-\xff]/g, byte => `%${byte.charCodeAt(0).toString(16)}`)

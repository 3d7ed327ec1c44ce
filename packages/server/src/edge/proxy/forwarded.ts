// The X-Forwarded-* values that an app receives. The client's own values count only if the client is a trusted proxy.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Peer } from '../../lib/received.ts'
import type { Exchange } from '../exchange.ts'

/** Fields that proxies set and clients may forge, besides those that begin with `forwardedPrefix`. */
export const proxyFields: ReadonlySet<string> = new Set([
  'forwarded',
  'x-forwarded',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'x-scheme',
  'x-url-scheme',
  'front-end-https',
])

export const forwardedPrefix = 'x-forwarded-'

/** Whether only proxies should set the header field. `name` is in lower case. */
export const isWrittenByProxies = (name: string): boolean =>
  name.startsWith(forwardedPrefix) || proxyFields.has(name)

export interface Forwarded {
  for: string
  proto: string
  host: string
}

export function forwardedOf(exchange: Exchange, isTrusted: (address: string) => boolean): Forwarded {
  const { req, host = '' } = exchange
  const own = ownForwarded(exchange.peer, host)
  const peer = own.for
  if (!isTrusted(peer)) return own
  const chain = headerOf(req, 'x-forwarded-for')
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => isIP(entry) !== 0)
  return {
    for: [...chain, peer].join(', '),
    proto: /^https?$/.exec(lastOf(headerOf(req, 'x-forwarded-proto')))?.[0] ?? own.proto,
    host: /^[\w.:[\]-]{1,300}$/.exec(lastOf(headerOf(req, 'x-forwarded-host')))?.[0] ?? host,
  }
}

/** What an app is told of a request that no trusted proxy has forwarded. */
export const ownForwarded = ({ address, secure }: Peer, host: string): Forwarded => ({
  for: address.startsWith(':') ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address,
  proto: secure ? 'https' : 'http',
  host,
})

const headerOf = (req: IncomingMessage, name: string): string => String(req.headers[name] ?? '')

/** Returns the last value of a list, in lower case. The nearest proxy added it. */
const lastOf = (list: string): string =>
  list
    .slice(list.lastIndexOf(',') + 1)
    .trim()
    .toLowerCase()

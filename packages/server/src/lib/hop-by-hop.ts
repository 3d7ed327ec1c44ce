// Hop-by-hop header fields, which apply to one connection and are not forwarded (RFC 9110, 7.6.1).
import { membersIn } from './raw-headers.ts'

/** Fields that are about an HTTP/1 connection. HTTP/2 forbids them (RFC 9113, 8.2.2). */
export const connectionFields = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
] as const

/** Fields that are always hop-by-hop. */
export const hopByHopFields: ReadonlySet<string> = new Set([
  ...connectionFields,
  'proxy-authenticate',
  'proxy-authorization',
  'te',
])

/**
 * Fields that say where a message goes or how it ends. `Connection` cannot remove them, and trailers must not contain
 * them.
 */
export const framing = new Set(['host', 'content-length', 'trailer'])

/**
 * Returns a function that tells whether a field is hop-by-hop. It takes the name in lower case. The fields that the
 * message's own Connection header names are hop-by-hop, too.
 */
export function hopByHop(rawHeaders: readonly string[]): (name: string) => boolean {
  let named: Set<string> | undefined
  for (const name of membersIn(rawHeaders, 'connection')) {
    // The names in `hopByHopFields` need not be added. Those in `framing` must not be removed from a message.
    if (hopByHopFields.has(name) || framing.has(name)) continue
    named ??= new Set()
    named.add(name)
  }
  const more = named
  return more === undefined
    ? name => hopByHopFields.has(name)
    : name => hopByHopFields.has(name) || more.has(name)
}

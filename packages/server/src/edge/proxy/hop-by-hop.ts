// Hop-by-hop header fields, which apply to one connection and are not forwarded (RFC 9110, 7.6.1).
import { membersIn } from '../../lib/raw-headers.ts'

const always = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])

/** Fields that say where a message goes or where it ends. */
export const framing = new Set(['host', 'content-length', 'trailer'])

/** Tests a lower-case name. Fields that the message's own Connection field names count, too. */
export function hopByHop(rawHeaders: readonly string[]): (name: string) => boolean {
  let named: Set<string> | undefined
  for (const name of membersIn(rawHeaders, 'connection')) {
    // A Connection field must not remove these.
    if (always.has(name) || framing.has(name)) continue
    named ??= new Set()
    named.add(name)
  }
  const more = named
  return more === undefined ? name => always.has(name) : name => always.has(name) || more.has(name)
}

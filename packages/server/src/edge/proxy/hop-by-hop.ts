// Hop-by-hop header fields, which apply to one connection and are not forwarded (RFC 9110, 7.6.1).

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
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length !== 10 || rawHeaders[i]!.toLowerCase() !== 'connection') continue
    for (const token of rawHeaders[i + 1]!.split(',')) {
      const name = token.trim().toLowerCase()
      // A Connection field must not remove these.
      if (name === '' || always.has(name) || framing.has(name)) continue
      named ??= new Set()
      named.add(name)
    }
  }
  const more = named
  return more === undefined ? name => always.has(name) : name => always.has(name) || more.has(name)
}

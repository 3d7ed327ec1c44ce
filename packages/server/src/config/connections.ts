// Settings of connections from clients: trusted proxies, limits and timeouts.
import { BlockList, isIP } from 'node:net'
import * as kind from './kinds.ts'
import { setting } from './setting.ts'

export const connectionSettings = {
  trustProxy: setting(
    'SVCD_TRUST_PROXY',
    kind.networks,
    [],
    'reverse proxies whose `X-Forwarded-*` headers are believed',
  ),
  maxConnections: setting(
    'SVCD_MAX_CONNECTIONS',
    kind.whole(1, 1_000_000),
    10_000,
    'open at a time in one process, plain and TLS; more are closed at once',
  ),
  maxConnectionsPerIp: setting(
    'SVCD_MAX_CONNECTIONS_PER_IP',
    kind.whole(0, 1_000_000),
    1_000,
    'of these from one IPv4 address or IPv6 /64; `0` for no bound. Those of `SVCD_TRUST_PROXY` are not counted; those of the loopback address are',
  ),
  maxHeaderBytes: setting(
    'SVCD_MAX_HEADER_BYTES',
    kind.bytes(kind.KB, kind.MB),
    16 * kind.KB,
    'size of the request line and all header fields. A larger request gets 431. Over HTTP/2 a request with more than 64 KB or 128 fields is always reset',
  ),
  headersSeconds: setting(
    'SVCD_HEADERS_SECONDS',
    kind.whole(1, 3600),
    30,
    'how long a client may take for the head of a request; then 408',
  ),
  requestSeconds: setting(
    'SVCD_REQUEST_SECONDS',
    kind.whole(1, 86_400),
    3600,
    'how long a client may take for all of a request, body included; then 408',
  ),
  silenceSeconds: setting(
    'SVCD_SILENCE_SECONDS',
    kind.whole(1, 86_400),
    600,
    'after which a connection with a request under way is closed, if nothing was sent in either direction',
  ),
}

/** Returns a function that tells whether the X-Forwarded-* headers from an address are trusted. */
export function trustedAddresses({ trustProxy }: { trustProxy: string[] }): (address: string) => boolean {
  if (trustProxy.length === 0) return () => false
  const list = new BlockList()
  for (const entry of trustProxy) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  }
  return address => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

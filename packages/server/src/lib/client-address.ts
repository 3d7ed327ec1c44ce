// The client's address: that of the connection, or the one that trusted proxies report.
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { Peer } from './received.ts'

type IsTrusted = (address: string) => boolean

/** The parts of a request that say where it came from. */
export interface ForwardedRequest {
  req: { headers: IncomingHttpHeaders }
  peer: Peer
}

export function clientAddress(isTrusted: IsTrusted): (request: ForwardedRequest) => string {
  return ({ req, peer }) => clientOf(peer.address, req.headers['x-forwarded-for'], isTrusted)
}

/** The address of the client: that of the peer, or if the peer is a trusted proxy, the one it reports. */
export function clientOf(
  peer: string | undefined,
  forwardedFor: string | string[] | undefined,
  isTrusted: IsTrusted,
): string {
  const direct = plainAddress(peer ?? '')
  if (!isTrusted(direct)) return direct
  // Each proxy appends the address it got the request from. The last address that is not a trusted proxy is the client.
  const chain = String(forwardedFor ?? '')
    .split(',')
    .map(entry => plainAddress(entry.trim()))
  for (const address of chain.reverse()) {
    if (isIP(address) === 0) return direct
    if (!isTrusted(address)) return address
  }
  return direct
}

/** The client's country, if a trusted proxy reports it. */
export function countryFromProxy(
  peer: string | undefined,
  header: string | undefined,
  isTrusted: IsTrusted,
): string | undefined {
  if (header === undefined || !/^[A-Za-z]{2}$/.test(header)) return undefined
  return isTrusted(plainAddress(peer ?? '')) ? header.toUpperCase() : undefined
}

/** Whether a trusted proxy received the request over HTTPS. */
export function cameByHttps(isTrusted: IsTrusted): (request: ForwardedRequest) => boolean {
  return ({ req, peer }) =>
    isTrusted(plainAddress(peer.address)) &&
    /^https(?:\s*,|$)/i.test(String(req.headers['x-forwarded-proto'] ?? ''))
}

/** An IPv4 address in its IPv6 form (`::ffff:192.0.2.1`, `::ffff:c000:201`) counts as IPv4. */
function plainAddress(address: string): string {
  if (!address.includes(':')) return address
  const dotted = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (dotted !== address || isIP(address) !== 6) return dotted
  const groups = groupsOf(address)
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return address
  const [high = 0, low = 0] = groups.slice(6).map(group => Number.parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The network that one customer of an internet provider usually has: an IPv4 address, or an IPv6 /64. */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  return isIP(plain) === 6 ? `${groupsOf(plain).slice(0, 4).join(':')}::/64` : plain
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = hexadecimal(address.split('%', 1)[0]!.toLowerCase()).split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  return [...first, ...Array<string>(zeros).fill('0'), ...last].map(group => group.replace(/^0+(?=.)/, ''))
}

/** The last 32 bits may be written as an IPv4 address. */
function hexadecimal(address: string): string {
  const start = address.lastIndexOf(':') + 1
  const bytes = address.slice(start).split('.').map(Number)
  if (bytes.length !== 4) return address
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  return `${address.slice(0, start)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

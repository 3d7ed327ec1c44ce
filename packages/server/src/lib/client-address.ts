// The client's address: the socket's, or what trusted proxies say of it.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

type IsTrusted = (address: string) => boolean

export function clientAddress(isTrusted: IsTrusted): (req: IncomingMessage) => string {
  return req => clientOf(req.socket.remoteAddress, req.headers['x-forwarded-for'], isTrusted)
}

/** The client behind whoever connected, who may be a proxy that says for whom. */
export function clientOf(
  peer: string | undefined,
  forwardedFor: string | string[] | undefined,
  isTrusted: IsTrusted,
): string {
  const direct = plainAddress(peer ?? '')
  if (!isTrusted(direct)) return direct
  // Each proxy appends whom it heard from; the last one that is no proxy of ours is the client.
  const chain = String(forwardedFor ?? '')
    .split(',')
    .map(entry => plainAddress(entry.trim()))
  for (const address of chain.reverse()) {
    if (isIP(address) === 0) return direct
    if (!isTrusted(address)) return address
  }
  return direct
}

/** The client's country by the word of whoever connected, where that is a proxy whose word counts. */
export function countrySaid(
  peer: string | undefined,
  header: string | undefined,
  isTrusted: IsTrusted,
): string | undefined {
  if (header === undefined || !/^[A-Za-z]{2}$/.test(header)) return undefined
  return isTrusted(plainAddress(peer ?? '')) ? header.toUpperCase() : undefined
}

/** Whether a trusted proxy took the request by HTTPS. */
export function cameByHttps(isTrusted: (address: string) => boolean): (req: IncomingMessage) => boolean {
  return req =>
    isTrusted(plainAddress(req.socket.remoteAddress ?? '')) &&
    /^https(?:\s*,|$)/i.test(String(req.headers['x-forwarded-proto'] ?? ''))
}

/** IPv4 in its IPv6 form counts as IPv4. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** This machine itself. */
export const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1'

/** What one customer of a provider has for themselves: an IPv4 address, or 2^64 IPv6 addresses. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.replace(/%.*$/, '').toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail ? tail.split(':').length : 0
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - rest)).fill('0')
  const all = [...groups, ...zeros, ...(tail ? tail.split(':') : [])]
  return `${all
    .slice(0, 4)
    .map(group => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

// What apps are kept from where they may connect to public addresses alone, as firewall rules name it.
import { networkInterfaces } from 'node:os'
import { isPrivate, privateRanges } from '../../lib/private-addresses.ts'

/** What apps may connect to: everything, everything that is public, or nothing. */
export type Outbound = 'on' | 'public' | 'off'

export const privateIpv4Ranges = (): string[] =>
  privateRanges.flatMap(([address, bits, family]) => (family === 'ipv4' ? [`${address}/${bits}`] : []))

/** Behind these the machine may have services that its firewall keeps from the world, but not from its own programs. */
export function ownPublicAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  return all.filter(({ family, address }) => family === 'IPv4' && !isPrivate(address)).map(it => it.address)
}

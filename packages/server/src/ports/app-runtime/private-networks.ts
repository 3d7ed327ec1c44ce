// The addresses that firewall rules block if apps may connect to public addresses only.
import { networkInterfaces } from 'node:os'
import { isPrivate, privateRanges } from '../../lib/private-addresses.ts'

/** To which addresses apps may connect: all, public ones, or none. */
export type Outbound = 'on' | 'public' | 'off'

export const privateIpv4Ranges = (): string[] =>
  privateRanges.flatMap(([address, bits, family]) => (family === 'ipv4' ? [`${address}/${bits}`] : []))

/** This machine's public addresses. Services on them may be closed to the internet, but open to programs of the machine. */
export function ownPublicAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  return all.filter(({ family, address }) => family === 'IPv4' && !isPrivate(address)).map(it => it.address)
}

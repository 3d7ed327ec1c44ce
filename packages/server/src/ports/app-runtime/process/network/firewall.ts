// The rules of an app's network namespace, for nft: what the app may connect to. The app cannot change them, since it has
// no power over the namespace.
import { networkInterfaces } from 'node:os'
import { isPrivate, privateRanges } from '../../../../lib/private-addresses.ts'

/** Where slirp4netns answers DNS inside the namespace. */
export const resolver = '10.0.2.3'

/** Everything but addresses that are not public, and but the machine's own services. */
export function publicOnly(webPorts: readonly number[]): string {
  const ranges = privateRanges.filter(([, , family]) => family === 'ipv4')
  const denied = ranges.map(([address, bits]) => `${address}/${bits}`)
  const own = ownAddresses()
  return table([
    `ip daddr ${resolver} meta l4proto { tcp, udp } th dport 53 accept`,
    // Sites of this platform are on the public internet, too.
    ...own.map(address => `ip daddr ${address} tcp dport { ${webPorts.join(', ')} } accept`),
    ...[...denied, ...own].map(range => `ip daddr ${range} reject with icmp type admin-prohibited`),
  ])
}

/** Public addresses of this machine, behind which it may have services that a firewall keeps from the world. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  return all.filter(({ family, address }) => family === 'IPv4' && !isPrivate(address)).map(it => it.address)
}

const table = (rules: readonly string[]): string => `
table inet svc {
  chain output {
    type filter hook output priority 0; policy accept;
    oifname "lo" accept
    meta nfproto ipv6 drop
    ${rules.join('\n    ')}
  }
}
`

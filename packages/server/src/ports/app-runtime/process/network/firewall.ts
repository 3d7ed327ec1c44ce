// The rules of an app's network namespace, for nft: what the app may connect to. The app cannot change them, since it has
// no power over the namespace.
import { ownPublicAddresses, privateIpv4Ranges } from '../../private-networks.ts'

/** Where slirp4netns answers DNS inside the namespace. */
export const resolver = '10.0.2.3'

/** Everything but addresses that are not public, and but the machine's own services. */
export function publicOnly(webPorts: readonly number[]): string {
  const own = ownPublicAddresses()
  const rules = [
    `ip daddr ${resolver} meta l4proto { tcp, udp } th dport 53 accept`,
    // Sites of this platform are on the public internet, too.
    ...own.map(address => `ip daddr ${address} tcp dport { ${webPorts.join(', ')} } accept`),
    ...[...privateIpv4Ranges(), ...own].map(
      range => `ip daddr ${range} reject with icmp type admin-prohibited`,
    ),
  ]
  return `
table inet svc {
  chain output {
    type filter hook output priority 0; policy accept;
    oifname "lo" accept
    meta nfproto ipv6 drop
    ${rules.join('\n    ')}
  }
}
`
}

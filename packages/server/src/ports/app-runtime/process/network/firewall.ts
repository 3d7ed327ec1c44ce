// The nft rules of an app's network namespace: they say to which addresses the app may connect. The app cannot change them,
// since it has no privileges in the namespace.
import { ownPublicAddresses, privateIpv4Ranges } from '../../private-networks.ts'

/** The address at which slirp4netns answers DNS queries inside the namespace. */
export const resolver = '10.0.2.3'

/** Rules that allow public addresses only. Of this machine they allow only the ports that serve sites. */
export function publicOnly(webPorts: readonly number[]): string {
  const own = ownPublicAddresses()
  const rules = [
    `ip daddr ${resolver} meta l4proto { tcp, udp } th dport 53 accept`,
    // Apps may call the sites of this platform, which are public.
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

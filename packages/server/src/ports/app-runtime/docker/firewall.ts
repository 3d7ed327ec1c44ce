// The rules of the machine for the network of the containers, for nft: apps reach neither the machine's own services nor
// private networks. Without root they cannot be set; then the operator is told.
import { execFile } from 'node:child_process'
import { type Outbound, ownPublicAddresses, privateIpv4Ranges } from '../private-networks.ts'
import { programAt } from '../programs.ts'

/** Also read by whoever wants to see them: `nft list table inet svc_apps`. */
export const tableOf = (network: string): string => network.replaceAll('-', '_')

export function networkRules(network: string, outbound: Outbound, webPorts: readonly number[]): string {
  const table = `inet ${tableOf(network)}`
  // Made before it is deleted, since deleting what is not there is an error.
  const anew = `table ${table}\ndelete table ${table}\n`
  if (outbound === 'on') return anew
  const own = ownPublicAddresses().join(', ')
  const web =
    own && outbound === 'public' ? `ip daddr { ${own} } tcp dport { ${webPorts.join(', ')} } accept` : ''
  return `${anew}
table ${table} {
  chain to_machine {
    type filter hook input priority -10; policy accept;
    iifname != "${network}" accept
    ct state established,related accept
    # The resolver of some engines is the machine's end of the network.
    fib daddr . iif type local meta l4proto { tcp, udp } th dport 53 accept
    ${web}
    drop
  }
  chain to_others {
    type filter hook forward priority -10; policy accept;
    iifname != "${network}" accept
    ct state established,related accept
    meta nfproto ipv6 drop
    ip daddr { ${privateIpv4Ranges().join(', ')} } drop
  }
}
`
}

/** Returns the error. `undefined` if the rules were applied. */
export async function applyRules(rules: string): Promise<string | undefined> {
  const nft = programAt('nft')
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'svcd is not root'
  if (!nft) return 'nft is not installed (Debian: apt-get install nftables)'
  return await new Promise(resolve => {
    const child = execFile(nft, ['-f', '-'], { env: {}, timeout: 10_000 }, (error, _, said) =>
      resolve(error ? said.trim() || error.message : undefined),
    )
    child.stdin?.on('error', () => undefined).end(rules)
  })
}

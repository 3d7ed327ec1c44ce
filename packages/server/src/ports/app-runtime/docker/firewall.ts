// The machine's nft rules for the network of the containers: apps reach neither the services of the machine nor private
// networks. Only root can set them. Otherwise svcd warns the operator.
import { execFile } from 'node:child_process'
import { type Outbound, ownPublicAddresses, privateIpv4Ranges } from '../private-networks.ts'
import { programAt } from '../programs.ts'

/** The name of the table. An operator can read it with `nft list table inet svc_apps`. */
export const tableOf = (network: string): string => network.replaceAll('-', '_')

export function networkRules(network: string, outbound: Outbound, webPorts: readonly number[]): string {
  const table = `inet ${tableOf(network)}`
  // Deleting a table that does not exist is an error, so it is created first.
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
    # With some engines, the machine's own address in this network is the DNS resolver.
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

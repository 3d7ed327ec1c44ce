// The machine's nft rules for the network of the containers: apps reach neither the services of the machine nor private
// networks. Only root can set them. Otherwise svcd warns the operator.
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { type Outbound, ownPublicAddresses, privateIpv4Ranges } from '../private-networks.ts'
import { programAt } from '../programs.ts'

/** The name of the table. An operator can read it with `nft list table inet svc_apps`. */
export const tableOf = (network: string): string => network.replaceAll('-', '_')

/** Deletes the table if it exists. Deleting a table that does not exist is an error, so it is created first. */
const deletion = (table: string): string => `table inet ${table}\ndelete table inet ${table}\n`

export function networkRules(network: string, outbound: Outbound, webPorts: readonly number[]): string {
  const table = tableOf(network)
  if (outbound === 'on') return deletion(table)
  const own = ownPublicAddresses().join(', ')
  const web =
    own && outbound === 'public' ? `ip daddr { ${own} } tcp dport { ${webPorts.join(', ')} } accept` : ''
  return `${deletion(table)}
table inet ${table} {
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
  return (await nft(['-f', '-'], rules)).error
}

/**
 * Deletes the tables of networks that no longer exist: each table slows down every packet of the machine a little.
 * `networks` returns the names of the networks that exist.
 */
export async function deleteStaleTables(networks: () => Promise<readonly string[]>): Promise<void> {
  // The tables are listed first: svcd creates a network before its table, so the network of a listed table is seen.
  const { output } = await nft(['list', 'chains', 'inet'])
  const tables = svcdTables(output)
  if (tables.length === 0) return
  // Another container engine of this machine may have networks that `networks` does not know. They have an interface.
  const existing = [...(await networks()), ...(await readdir('/sys/class/net'))].map(tableOf)
  const stale = tables.filter(table => !existing.includes(table))
  if (stale.length > 0) await applyRules(stale.map(deletion).join(''))
}

/** The tables that svcd made, among the output of `nft list chains`. They have the two chains of `networkRules`. */
function svcdTables(listing: string): string[] {
  const [, ...tables] = listing.split(/^table inet /m)
  return tables
    .filter(text => text.includes('chain to_machine {') && text.includes('chain to_others {'))
    .map(text => text.slice(0, text.indexOf(' ')))
}

async function nft(args: readonly string[], input = ''): Promise<{ output: string; error?: string }> {
  const program = programAt('nft')
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { output: '', error: 'svcd is not root' }
  if (!program) return { output: '', error: 'nft is not installed (Debian: apt-get install nftables)' }
  return await new Promise(resolve => {
    const child = execFile(program, args, { env: {}, timeout: 10_000 }, (error, output, said) =>
      resolve(error ? { output, error: said.trim() || error.message } : { output }),
    )
    child.stdin?.on('error', () => undefined).end(input)
  })
}

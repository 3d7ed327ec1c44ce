// Checks how the nodes that share the database are: which there are, and whether all of them learn of changes.
import { isIP } from 'node:net'
import { secondMs } from '@svc/contract/durations'
import { listLivingNodes, slowestFollowerMs } from '../../store/platform/nodes.ts'
import type { Platform } from '../base/platform.ts'
import { CheckFailure } from './checks.ts'

/** Processes confirm every second that they have missed no change. */
const lateMs = 5 * secondMs

/** Returns a line about the nodes. Throws a `CheckFailure` if something is wrong with them. */
export async function checkNodes({ store }: Pick<Platform, 'store'>): Promise<string> {
  if (store.engine !== 'postgres') return 'one, since the database is SQLite'
  const nodes = await listLivingNodes(store.db)
  const lagMs = await slowestFollowerMs(store.db)
  if (lagMs > lateMs)
    throw new CheckFailure(
      `a process has not confirmed for ${Math.round(lagMs / secondMs)} s that it has all changes`,
      'It was killed in the last minute, or does not reach the database, and serves only what it can confirm. Look at svcd_database_lag_seconds in the metrics of each node.',
    )
  const machines = new Set(nodes.map(node => node.node_id))
  const hidden = nodes.filter(({ address }) => isLoopback(address))
  if (machines.size > 1 && hidden.length > 0 && hidden.length < nodes.length)
    throw new CheckFailure(
      `${hidden.map(node => node.address).join(', ')} cannot be reached from other machines`,
      'Set SVCD_NODE_ADDRESS on that node to an address that the others reach.',
    )
  const listed = nodes.map(({ address, roles, version }) => `${address} (${roles}; ${version})`)
  return `${listed.join(', ') || 'none runs'}; changes confirmed ${(lagMs / secondMs).toFixed(1)} s ago`
}

function isLoopback(address: string): boolean {
  const host = address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? host === 'localhost' : host.startsWith('127.') || host === '::1'
}

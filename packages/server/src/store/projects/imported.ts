// A project that comes from an archive. Until all its files are here, it is a share that ends soon and its deployments are
// uploads, so the sweep and the next start remove what an interrupted import leaves.
import { addToTotals } from '../deployments/stored-totals.ts'
import type { Tx } from '../store.ts'
import type { DeploymentRow, ProjectRow } from '../tables.ts'
import { noteNewest } from './activity.ts'

/** The facts of an uploaded deployment, with its final status. Returns false if it is no longer an upload. */
export async function placeImported(tx: Tx, row: Omit<DeploymentRow, 'node_id'>): Promise<boolean> {
  const placed = await tx
    .updateTable('deployments')
    .set(row)
    .where('id', '=', row.id)
    .where('status', '=', 'uploading')
    .executeTakeFirst()
  if (placed.numUpdatedRows !== 1n) return false
  await addToTotals(tx, [row])
  return true
}

/** The share becomes a project. Returns false if it has ended. */
export async function keepImported(
  tx: Tx,
  id: string,
  { now, ...final }: Pick<ProjectRow, 'active_deployment_id' | 'created_at'> & { now: number },
): Promise<boolean> {
  const kept = await tx
    .updateTable('projects')
    .set({ ...final, expires_at: null, active_at: null })
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  await noteNewest(tx, id)
  return kept.numUpdatedRows === 1n
}

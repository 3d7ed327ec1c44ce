// Packs whose records are gone. They are noted in the transaction that removes the records, and deleted afterwards.
import type { Db, Tx } from '../store.ts'

/** Every deployment of the project that has files, or may be getting them now. */
export async function discardPacksOf(tx: Tx, projectId: string, now: number): Promise<void> {
  await tx
    .insertInto('discarded_packs')
    .columns(['deployment_id', 'discarded_at'])
    .expression(eb =>
      eb
        .selectFrom('deployments')
        .select(['id', eb.cast<number>(eb.val(now), 'bigint').as('discarded_at')])
        .where('project_id', '=', projectId)
        .where(where => where.or([where('status', '<>', 'failed'), where('parts_until', 'is not', null)])),
    )
    .execute()
}

export const discardPack = (tx: Tx, deploymentId: string, now: number): Promise<void> =>
  discardPacks(tx, [deploymentId], now)

export async function discardPacks(tx: Tx, deploymentIds: readonly string[], now: number): Promise<void> {
  if (deploymentIds.length === 0) return
  await tx
    .insertInto('discarded_packs')
    .values(deploymentIds.map(deployment_id => ({ deployment_id, discarded_at: now })))
    .onConflict(c => c.doNothing())
    .execute()
}

export async function someDiscarded(db: Db, atMost: number): Promise<string[]> {
  const rows = await db.selectFrom('discarded_packs').select('deployment_id').limit(atMost).execute()
  return rows.map(row => row.deployment_id)
}

export async function forgetDiscarded(db: Db, deploymentIds: string[]): Promise<void> {
  await db.deleteFrom('discarded_packs').where('deployment_id', 'in', deploymentIds).execute()
}

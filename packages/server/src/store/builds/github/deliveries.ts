// Deliveries of GitHub's webhook: stored until they are handled, and remembered for a while, so that none counts twice.
import type { Db, Tx } from '../../store.ts'
import type { GitHubDeliveryRow } from '../../tables.ts'

/** Stores a delivery. Returns false if it is already stored. */
export async function insertDelivery(tx: Tx, row: GitHubDeliveryRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('github_deliveries')
    .values(row)
    .onConflict(c => c.column('id').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/** The stored deliveries of an event, by the hash of its body. */
export const repeatsOf = (
  tx: Tx,
  bodyHash: string,
): Promise<Pick<GitHubDeliveryRow, 'id' | 'event' | 'attempts' | 'received_at'>[]> =>
  tx
    .selectFrom('github_deliveries')
    .select(['id', 'event', 'attempts', 'received_at'])
    .where('body_hash', '=', bodyHash)
    .execute()

/** Deletes the handled deliveries of an event, so that an event that is sent over and over takes one row. */
export async function deleteHandled(tx: Tx, bodyHash: string): Promise<void> {
  await tx
    .deleteFrom('github_deliveries')
    .where('body_hash', '=', bodyHash)
    .where('event', 'is', null)
    .execute()
}

/** Takes the oldest that is due; a compare and swap, so that one worker gets it. */
export async function claimDelivery(
  db: Db,
  now: number,
  until: number,
): Promise<(GitHubDeliveryRow & { event: string }) | undefined> {
  const due = await db
    .selectFrom('github_deliveries')
    .selectAll()
    .where('event', 'is not', null)
    .where('next_at', '<=', now)
    .orderBy('received_at')
    .limit(1)
    .executeTakeFirst()
  if (!due?.event) return undefined
  const claimed = await db
    .updateTable('github_deliveries')
    .set({ next_at: until, attempts: due.attempts + 1 })
    .where('id', '=', due.id)
    .where('attempts', '=', due.attempts)
    .executeTakeFirst()
  return claimed.numUpdatedRows === 1n ? { ...due, event: due.event, attempts: due.attempts + 1 } : undefined
}

export async function finishDelivery(db: Db, id: string): Promise<void> {
  await db.updateTable('github_deliveries').set({ event: null }).where('id', '=', id).execute()
}

export async function retryDelivery(db: Db, id: string, nextAt: number): Promise<void> {
  await db.updateTable('github_deliveries').set({ next_at: nextAt }).where('id', '=', id).execute()
}

export async function deleteOldDeliveries(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('github_deliveries')
    .where('received_at', '<', before)
    .where('event', 'is', null)
    .execute()
}

// What requests that are under way may cost. The row of the owner's month makes requests at any node take turns.
import { sql } from 'kysely'
import type { Db, Tx } from '../store.ts'
import type { AiReservationRow } from '../tables.ts'

/** The costs of the month and what requests under way may cost, in micro-cents. Nobody else reserves before the transaction ends. */
export async function lockCosts(
  tx: Tx,
  { owner_id, month, now }: { owner_id: string; month: number; now: number },
): Promise<{ used: number; reserved: number }> {
  const { cost } = await tx
    .insertInto('ai_months')
    .values({ owner_id, month, cost: 0 })
    .onConflict(c => c.columns(['owner_id', 'month']).doUpdateSet({ cost: sql<number>`ai_months.cost` }))
    .returning('cost')
    .executeTakeFirstOrThrow()
  const reserved = await tx
    .selectFrom('ai_reservations')
    .select(eb => eb.fn.sum<number | string | null>('cost').as('sum'))
    .where('owner_id', '=', owner_id)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return { used: Number(cost), reserved: Number(reserved?.sum ?? 0) }
}

export async function insertReservation(tx: Tx, row: AiReservationRow): Promise<void> {
  await tx.insertInto('ai_reservations').values(row).execute()
}

export async function deleteReservations(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('ai_reservations').where('id', 'in', ids).execute()
}

/** Those of nodes that were lost. */
export async function deleteExpiredReservations(db: Db, now: number): Promise<void> {
  await db.deleteFrom('ai_reservations').where('expires_at', '<=', now).execute()
}

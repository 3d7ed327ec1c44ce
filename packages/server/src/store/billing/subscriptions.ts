// Paid plans. An owner without a row has the free one.
import type { Db, Tx } from '../store.ts'
import type { SubscriptionRow } from '../tables.ts'

export const findSubscription = (db: Db, ownerId: string): Promise<SubscriptionRow | undefined> =>
  db.selectFrom('subscriptions').selectAll().where('owner_id', '=', ownerId).executeTakeFirst()

export async function saveSubscription(tx: Tx, { owner_id, ...rest }: SubscriptionRow): Promise<void> {
  await tx
    .insertInto('subscriptions')
    .values({ owner_id, ...rest })
    .onConflict(c => c.column('owner_id').doUpdateSet(rest))
    .execute()
}

/** Owners whose subscription time moves on, and who are not being charged at the moment. */
export async function dueSubscriptions(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('owner_id')
    .where('due_at', '<=', now)
    .where(eb =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('payments')
            .select('payments.id')
            .whereRef('payments.owner_id', '=', 'subscriptions.owner_id')
            .where('payments.status', '=', 'charging'),
        ),
      ),
    )
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(row => row.owner_id)
}

export async function deleteSubscription(tx: Tx, ownerId: string): Promise<void> {
  await tx.deleteFrom('subscriptions').where('owner_id', '=', ownerId).execute()
}

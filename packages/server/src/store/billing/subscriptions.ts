// Paid plans. Whoever has none is on the free plan.
import type { Db } from './store.ts'
import type { SubscriptionRow } from './tables.ts'

export const findSubscription = (db: Db, ownerId: string): Promise<SubscriptionRow | undefined> =>
  db.selectFrom('subscriptions').selectAll().where('owner_id', '=', ownerId).executeTakeFirst()

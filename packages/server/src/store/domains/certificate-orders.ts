// What the certificate authority was asked for lately, so that its limits are kept.
import type { Db, Tx } from '../store.ts'
import type { CertificateKind, CertificateOrderRow } from '../tables.ts'

/** Locks the counting of orders until the transaction ends. The row itself is not an order. */
export async function lockOrders(tx: Tx): Promise<void> {
  await tx
    .insertInto('certificate_orders')
    .values({ id: 'turn', name: '', registered: '', ordered_at: 0, is_first: 0, kind: null, owner_id: null })
    .onConflict(c => c.column('id').doUpdateSet({ ordered_at: 0 }))
    .execute()
}

/** One row for each name of an order. */
export async function insertOrder(db: Db, rows: CertificateOrderRow[]): Promise<void> {
  await db.insertInto('certificate_orders').values(rows).execute()
}

/** Orders are counted for the whole platform, a registered domain or some kinds; names for themselves and for their owner. */
export type OrderScope =
  | 'all'
  | { registered: string }
  | { kinds: readonly CertificateKind[] }
  | { name: string }
  | { owner: string }

/** The orders since a time, the latest first; no more than `limit`. */
export async function ordersSince(
  db: Db,
  scope: OrderScope,
  since: number,
  limit: number,
): Promise<{ ordered_at: number }[]> {
  let query = db.selectFrom('certificate_orders').select('ordered_at').where('ordered_at', '>', since)
  if (scope === 'all') query = query.where('is_first', '=', 1)
  else if ('name' in scope) query = query.where('name', '=', scope.name)
  else if ('owner' in scope) query = query.where('owner_id', '=', scope.owner)
  else if ('kinds' in scope) query = query.where('is_first', '=', 1).where('kind', 'in', scope.kinds)
  else query = query.where('is_first', '=', 1).where('registered', '=', scope.registered)
  return await query.orderBy('ordered_at', 'desc').limit(limit).execute()
}

export async function deleteOldOrders(db: Db, before: number): Promise<void> {
  await db.deleteFrom('certificate_orders').where('ordered_at', '<', before).execute()
}

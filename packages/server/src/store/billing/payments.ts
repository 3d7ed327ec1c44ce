// Payments: written before the provider is asked, so that a crash loses none and repeats none.
import type { Db, Tx } from '../store.ts'
import type { BillingCustomerRow, PaymentRow } from '../tables.ts'

export async function insertPayment(tx: Tx, row: PaymentRow): Promise<void> {
  await tx.insertInto('payments').values(row).execute()
}

export const findPayment = (db: Db, id: string): Promise<PaymentRow | undefined> =>
  db.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst()

export const findPaymentBySession = (db: Db, hash: string): Promise<PaymentRow | undefined> =>
  db.selectFrom('payments').selectAll().where('session_hash', '=', hash).executeTakeFirst()

export const findPaymentByRef = (db: Db, ref: string): Promise<PaymentRow | undefined> =>
  db.selectFrom('payments').selectAll().where('provider_ref', '=', ref).executeTakeFirst()

export const paymentsOf = (db: Db, ownerId: string, status: PaymentRow['status']): Promise<PaymentRow[]> =>
  db
    .selectFrom('payments')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('status', '=', status)
    .orderBy('created_at')
    .execute()

/** Changes the payment if its status is one of `from`. Of several concurrent calls, exactly one returns true. */
export async function movePayment(
  db: Db,
  id: string,
  from: readonly PaymentRow['status'][],
  change: Partial<PaymentRow> & Pick<PaymentRow, 'status'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payments')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', from)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Takes over a payment that needs looking after: true for the one who may. */
export async function claimPayment(
  db: Db,
  { id, status, due_at }: Pick<PaymentRow, 'id' | 'status' | 'due_at'>,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payments')
    .set({ due_at: until })
    .where('id', '=', id)
    .where('status', '=', status)
    .where('due_at', '=', due_at)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export const duePayments = (db: Db, now: number, limit: number): Promise<PaymentRow[]> =>
  db.selectFrom('payments').selectAll().where('due_at', '<=', now).orderBy('due_at').limit(limit).execute()

/** Where the customer pays, once the provider said so. */
export async function notePage(
  db: Db,
  id: string,
  page: Pick<PaymentRow, 'provider_ref' | 'session_hash'>,
): Promise<void> {
  await db.updateTable('payments').set(page).where('id', '=', id).execute()
}

export const findCustomer = (db: Db, ownerId: string): Promise<BillingCustomerRow | undefined> =>
  db.selectFrom('billing_customers').selectAll().where('owner_id', '=', ownerId).executeTakeFirst()

/** What is undefined stays as it is. */
export async function saveCustomer(
  db: Db,
  ownerId: string,
  { customer_ref, method_ref }: { customer_ref?: string | undefined; method_ref?: string | undefined },
): Promise<void> {
  const known = { ...(customer_ref && { customer_ref }), ...(method_ref && { method_ref }) }
  if (Object.keys(known).length === 0) return
  await db
    .insertInto('billing_customers')
    .values({ owner_id: ownerId, customer_ref: null, method_ref: null, ...known })
    .onConflict(c => c.column('owner_id').doUpdateSet(known))
    .execute()
}

/** Returns false if the event was dealt with before. */
export async function insertEvent(
  tx: Tx,
  event: { id: string; type: string; received_at: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('payment_events')
    .values(event)
    .onConflict(c => c.column('id').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function deleteOldEvents(db: Db, before: number): Promise<void> {
  await db.deleteFrom('payment_events').where('received_at', '<', before).execute()
}

/** Of payment pages that nobody paid on. */
export async function deleteUnpaidPages(db: Db, before: number): Promise<void> {
  await db.deleteFrom('payments').where('status', '=', 'expired').where('created_at', '<', before).execute()
}

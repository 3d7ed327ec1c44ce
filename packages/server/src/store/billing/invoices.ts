// Invoices and credit notes: rows that are added and never changed, with numbers that have no gaps.
import { sql } from 'kysely'
import type { Db, Tx } from '../store.ts'
import type { InvoiceDocumentRow, InvoiceRow } from '../tables.ts'

/**
 * The last number that was given in a series. The row stays locked until the transaction ends, so that numbers are given
 * one after the other; a transaction that is rolled back leaves no gap.
 */
export async function lockSeries(tx: Tx, series: string): Promise<number> {
  const row = await tx
    .insertInto('counters')
    .values({ name: series, value: 0 })
    .onConflict(c => c.column('name').doUpdateSet(eb => ({ value: eb.ref('counters.value') })))
    .returning('value')
    .executeTakeFirstOrThrow()
  return Number(row.value)
}

export async function setLastNumber(tx: Tx, series: string, value: number): Promise<void> {
  await tx.updateTable('counters').set({ value }).where('name', '=', series).execute()
}

export async function insertInvoice(tx: Tx, row: InvoiceRow): Promise<void> {
  await tx.insertInto('invoices').values(row).execute()
}

export const findInvoice = (db: Db, id: string): Promise<InvoiceRow | undefined> =>
  db.selectFrom('invoices').selectAll().where('id', '=', id).executeTakeFirst()

export const findInvoiceOfPayment = (db: Db, paymentId: string): Promise<InvoiceRow | undefined> =>
  db.selectFrom('invoices').selectAll().where('payment_id', '=', paymentId).executeTakeFirst()

/** Credit notes for the same invoice are written one after the other. */
export async function lockInvoice(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('invoices')
    .set(eb => ({ number: eb.ref('number') }))
    .where('id', '=', id)
    .execute()
}

/** What was credited of an invoice so far, as positive amounts. */
export async function creditedOf(tx: Tx, invoiceId: string) {
  const notes = await tx
    .selectFrom('invoices')
    .select(['net_cents', 'vat_cents', 'total_cents'])
    .where('credits_id', '=', invoiceId)
    .execute()
  const sum = (key: 'net_cents' | 'vat_cents' | 'total_cents') =>
    notes.reduce((total, note) => total - note[key], 0)
  return { net_cents: sum('net_cents'), vat_cents: sum('vat_cents'), total_cents: sum('total_cents') }
}

/** The newest first. */
export const invoicesOf = (db: Db, ownerId: string, limit: number) =>
  db
    .selectFrom('invoices')
    .leftJoin('invoices as credited', 'credited.id', 'invoices.credits_id')
    .select([
      'invoices.id',
      'invoices.number',
      'invoices.kind',
      'invoices.state',
      'invoices.created_at',
      'invoices.net_cents',
      'invoices.vat_cents',
      'invoices.total_cents',
      'credited.number as credits',
    ])
    .where('invoices.owner_id', '=', ownerId)
    .orderBy('invoices.created_at', 'desc')
    .orderBy('invoices.number', 'desc')
    .limit(limit)
    .execute()

/** A document that is stored already stays as it is. */
export async function storeDocument(tx: Tx, row: InvoiceDocumentRow): Promise<void> {
  await tx
    .insertInto('invoice_documents')
    .values(row)
    .onConflict(c => c.column('invoice_id').doNothing())
    .execute()
  await tx
    .updateTable('invoices')
    .set({ state: 'rendered' })
    .where('id', '=', row.invoice_id)
    .where('state', '=', 'issued')
    .execute()
}

export async function findDocument(db: Db, invoiceId: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('invoice_documents')
    .select('base64')
    .where('invoice_id', '=', invoiceId)
    .executeTakeFirst()
  return row && Buffer.from(row.base64, 'base64')
}

/** `email` is null if none was sent. */
export async function setDelivered(
  db: Db,
  invoiceId: string,
  email: { to: string; at: number } | null,
): Promise<void> {
  await db
    .updateTable('invoices')
    .set({ state: 'delivered', mailed_at: email?.at ?? null, mailed_to: email?.to ?? null })
    .where('id', '=', invoiceId)
    .where('state', '=', 'rendered')
    .execute()
}

/** The oldest first. */
export async function undeliveredInvoices(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('invoices')
    .select('id')
    // Written into the statement: so SQLite knows that the index of these has them all.
    .where('state', '<>', sql.lit('delivered'))
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

// Who is billed, and the invoices and credit notes with their PDFs.
import { type Kysely, sql } from 'kysely'

export async function invoices(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('billing_profiles')
    // An account or an org.
    .addColumn('owner_id', 'text', c => c.primaryKey())
    .addColumn('name', 'text')
    .addColumn('address', 'text')
    .addColumn('country', 'text')
    .addColumn('vat_number', 'text')
    .addColumn('vat_checked_at', 'bigint')
    .addColumn('vat_consultation', 'text')
    .addColumn('email', 'text')
    .addColumn('updated_at', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createTable('invoices')
    .addColumn('id', 'text', c => c.primaryKey())
    // Without a reference: invoices are kept when the account or org is deleted.
    .addColumn('owner_id', 'text', c => c.notNull())
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('number', 'text', c => c.notNull().unique())
    .addColumn('payment_id', 'text', c => c.notNull().unique())
    .addColumn('credits_id', 'text', c => c.references('invoices.id'))
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('net_cents', 'bigint', c => c.notNull())
    .addColumn('vat_cents', 'bigint', c => c.notNull())
    .addColumn('total_cents', 'bigint', c => c.notNull())
    .addColumn('content', 'text', c => c.notNull())
    .addColumn('state', 'text', c => c.notNull())
    .addColumn('mailed_at', 'bigint')
    .addColumn('mailed_to', 'text')
    .execute()
  await schema
    .createIndex('invoices_by_owner')
    .on('invoices')
    .columns(['owner_id', 'created_at', 'number'])
    .execute()
  await schema.createIndex('invoices_by_credited').on('invoices').column('credits_id').execute()
  await sql`create index invoices_undelivered on invoices (created_at) where state <> 'delivered'`.execute(db)
  await schema
    .createTable('invoice_documents')
    .addColumn('invoice_id', 'text', c => c.primaryKey().references('invoices.id'))
    .addColumn('base64', 'text', c => c.notNull())
    .addColumn('rendered_at', 'bigint', c => c.notNull())
    .execute()
}

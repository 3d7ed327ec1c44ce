// Subscriptions with their states, and payments. The first table of subscriptions had no way to get a row.
import { type Kysely, sql } from 'kysely'

export async function billing(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema.dropTable('subscriptions').execute()
  await schema
    .createTable('subscriptions')
    .addColumn('owner_id', 'text', c => c.primaryKey())
    .addColumn('plan', 'text', c => c.notNull())
    .addColumn('next_plan', 'text')
    .addColumn('state', 'text', c => c.notNull())
    .addColumn('anchor', 'bigint', c => c.notNull())
    .addColumn('period', 'integer', c => c.notNull())
    .addColumn('period_start', 'bigint', c => c.notNull())
    .addColumn('period_end', 'bigint', c => c.notNull())
    .addColumn('failures', 'integer', c => c.notNull())
    .addColumn('due_at', 'bigint')
    .execute()
  await sql`create index subscriptions_due on subscriptions (due_at) where due_at is not null`.execute(db)
  await schema
    .createTable('payments')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('owner_id', 'text', c => c.notNull())
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('status', 'text', c => c.notNull())
    .addColumn('plan', 'text', c => c.notNull())
    .addColumn('period', 'integer')
    .addColumn('net_cents', 'bigint', c => c.notNull())
    .addColumn('total_cents', 'bigint', c => c.notNull())
    .addColumn('tax', 'text', c => c.notNull())
    .addColumn('session_hash', 'text', c => c.unique())
    .addColumn('provider_ref', 'text')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('settled_at', 'bigint')
    .addColumn('error', 'text')
    .execute()
  await schema.createIndex('payments_by_owner').on('payments').columns(['owner_id', 'created_at']).execute()
  await sql`create index payments_due on payments (due_at) where due_at is not null`.execute(db)
  // An owner has at most one charge in progress.
  await sql`create unique index payments_charging on payments (owner_id) where status = 'charging'`.execute(
    db,
  )
  await schema
    .createTable('billing_customers')
    .addColumn('owner_id', 'text', c => c.primaryKey())
    .addColumn('customer_ref', 'text')
    .addColumn('method_ref', 'text')
    .execute()
  await schema
    .createTable('payment_events')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('type', 'text', c => c.notNull())
    .addColumn('received_at', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createTable('billing_mails')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('owner_id', 'text', c => c.notNull())
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('once', 'text', c => c.notNull().unique())
    .addColumn('details', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
}

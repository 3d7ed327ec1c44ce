// Certificates: what was issued, what is under way, and the keys of both.
import type { Kysely } from 'kysely'

export async function certificates(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('certificates')
    .addColumn('name', 'text', c => c.primaryKey())
    // Null for the platform's own. A domain that is detached takes its certificate with it.
    .addColumn('domain', 'text', c => c.references('domains.domain').onDelete('cascade'))
    .addColumn('state', 'text', c => c.notNull())
    .addColumn('next_at', 'bigint', c => c.notNull())
    .addColumn('claim', 'text')
    .addColumn('claimed_until', 'bigint')
    .addColumn('failures', 'integer', c => c.notNull())
    .addColumn('waiting_for', 'text')
    .addColumn('error', 'text')
    .addColumn('order_url', 'text')
    .addColumn('challenge_token', 'text')
    .addColumn('challenge_answer', 'text')
    .addColumn('chain', 'text')
    .addColumn('issued_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
  await schema.createIndex('certificates_by_time').on('certificates').column('next_at').execute()
  await schema.createIndex('certificates_by_domain').on('certificates').column('domain').execute()
  await schema
    .createTable('tls_keys')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('domain', 'text', c => c.references('domains.domain').onDelete('cascade'))
    .addColumn('sealed', 'text', c => c.notNull())
    .addColumn('key_id', 'text', c => c.notNull())
    .execute()
  await schema.createIndex('tls_keys_by_key_id').on('tls_keys').column('key_id').execute()
  await schema.createIndex('tls_keys_by_domain').on('tls_keys').column('domain').execute()
  // What the authority was asked for lately, so that its limits are kept.
  await schema
    .createTable('certificate_orders')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('registered', 'text', c => c.notNull())
    .addColumn('ordered_at', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createIndex('certificate_orders_by_time')
    .on('certificate_orders')
    .column('ordered_at')
    .execute()
}

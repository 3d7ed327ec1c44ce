// New email addresses that wait for their confirmation. A row is deleted when its link is used, and after it has expired.
import type { Kysely } from 'kysely'

export async function emailChanges(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('email_changes')
    .addColumn('account_id', 'text', c => c.primaryKey().references('accounts.id').onDelete('cascade'))
    .addColumn('email', 'text', c => c.notNull())
    .addColumn('token_hash', 'text', c => c.notNull())
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .execute()
}

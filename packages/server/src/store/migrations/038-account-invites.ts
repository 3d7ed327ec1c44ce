// Invitations to create an account. A row is deleted when its link is used or revoked, and after it has expired.
import type { Kysely } from 'kysely'

export async function accountInvites(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('account_invites')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('email', 'text')
    .addColumn('token_hash', 'text', c => c.notNull().unique())
    .addColumn('sender_id', 'text', c => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .execute()
}

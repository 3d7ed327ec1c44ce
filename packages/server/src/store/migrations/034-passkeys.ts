// Passkeys, and the challenges that they sign.
import type { Kysely } from 'kysely'

export async function passkeys(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('passkeys')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('account_id', 'text', c => c.notNull().references('accounts.id').onDelete('cascade'))
    // The id that the authenticator gave it, base64url.
    .addColumn('credential_id', 'text', c => c.notNull().unique())
    .addColumn('public_key', 'text', c => c.notNull())
    .addColumn('counter', 'bigint', c => c.notNull())
    .addColumn('transports', 'text', c => c.notNull())
    .addColumn('name', 'text', c => c.notNull())
    // The host of the dashboard that it was made for.
    .addColumn('rp_id', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute()
  await schema.createIndex('passkeys_of_account').on('passkeys').column('account_id').execute()
  await schema
    .createTable('passkey_challenges')
    .addColumn('hash', 'text', c => c.primaryKey())
    .addColumn('purpose', 'text', c => c.notNull())
    // Null for a sign-in, because the passkey says whose it is.
    .addColumn('account_id', 'text', c => c.references('accounts.id').onDelete('cascade'))
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .execute()
}

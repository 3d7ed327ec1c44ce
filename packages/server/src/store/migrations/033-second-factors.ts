// Authenticator apps, recovery codes, and the audit log of an account.
import type { Kysely } from 'kysely'

export async function secondFactors(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('totp_secrets')
    .addColumn('account_id', 'text', c => c.primaryKey().references('accounts.id').onDelete('cascade'))
    .addColumn('sealed', 'text', c => c.notNull())
    .addColumn('key_id', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    // Null until a code of the app was checked.
    .addColumn('enabled_at', 'bigint')
    // The time step of the last code that was used. A code works once.
    .addColumn('last_step', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createTable('recovery_codes')
    .addColumn('account_id', 'text', c => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('hash', 'text', c => c.notNull())
    .addPrimaryKeyConstraint('recovery_codes_pk', ['account_id', 'hash'])
    .execute()
  await schema
    .createTable('sign_in_challenges')
    .addColumn('hash', 'text', c => c.primaryKey())
    .addColumn('account_id', 'text', c => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createIndex('sign_in_challenges_of_account')
    .on('sign_in_challenges')
    .column('account_id')
    .execute()
  await schema.alterTable('audit').addColumn('account_id', 'text').execute()
  await schema.createIndex('audit_of_account').on('audit').columns(['account_id', 'created_at']).execute()
}

// Accounts that a platform admin has disabled.
import type { Kysely } from 'kysely'

export async function disabledAccounts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('disabled_at', 'bigint').execute()
}

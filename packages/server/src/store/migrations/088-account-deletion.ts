// When an account that its owner or the operator deleted is deleted for good.
import type { Kysely } from 'kysely'

export async function accountDeletion(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('delete_at', 'bigint').execute()
  await db.schema.alterTable('accounts').addColumn('delete_by', 'text').execute()
  await db.schema.createIndex('accounts_by_deletion').on('accounts').column('delete_at').execute()
}

// Limits that the operator gives to one account or org, instead of those of its plan or of the settings.
import type { Kysely } from 'kysely'

export async function ownerLimits(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('owner_limits')
    .addColumn('owner_id', 'text', c => c.notNull())
    .addColumn('name', 'text', c => c.notNull())
    // Null: no limit.
    .addColumn('amount', 'bigint')
    .addPrimaryKeyConstraint('owner_limits_key', ['owner_id', 'name'])
    .execute()
}

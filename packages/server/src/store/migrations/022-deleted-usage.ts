// What deleted projects used in the month. Deleting a project does not reduce the usage of its owner.
import type { Kysely } from 'kysely'

export async function deletedUsage(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deleted_usage')
    .addColumn('owner_id', 'text', c => c.notNull())
    .addColumn('day', 'bigint', c => c.notNull())
    .addColumn('bytes', 'bigint', c => c.notNull())
    .addColumn('build_ms', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('deleted_usage_pk', ['owner_id', 'day'])
    .execute()
  await db.schema.createIndex('deleted_usage_by_day').on('deleted_usage').column('day').execute()
}

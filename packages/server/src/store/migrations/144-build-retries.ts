// Builds that wait because the storage or the database failed.
import type { Kysely } from 'kysely'

export async function buildRetries(db: Kysely<unknown>): Promise<void> {
  const table = () => db.schema.alterTable('builds')
  await table()
    .addColumn('retries', 'integer', column => column.notNull().defaultTo(0))
    .execute()
  await table().addColumn('retry_at', 'bigint').execute()
}

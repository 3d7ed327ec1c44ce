// Projects and accounts that the operator has suspended. The id is that of the project or account.
import type { Kysely } from 'kysely'

export async function suspensions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('suspensions')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('status', 'integer', c => c.notNull())
    .addColumn('reason', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
}

// The processes of svcd that share the database, and where they reach each other.
import type { Kysely } from 'kysely'

export async function nodes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('nodes')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('node_id', 'text', c => c.notNull())
    .addColumn('address', 'text', c => c.notNull())
    .addColumn('roles', 'text', c => c.notNull())
    .addColumn('version', 'text', c => c.notNull())
    .addColumn('started_at', 'bigint', c => c.notNull())
    .addColumn('seen_at', 'bigint', c => c.notNull())
    .execute()
}

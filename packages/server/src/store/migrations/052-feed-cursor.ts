// Lets a node of several read back the changes that it missed, and tells writers which processes follow the changes.
import type { Kysely } from 'kysely'

export async function feedCursor(db: Kysely<unknown>): Promise<void> {
  // The transaction that wrote the change. Only PostgreSQL has it: numbers of rows are not in the order of commits there.
  await db.schema.alterTable('changes').addColumn('xid', 'bigint').execute()
  await db.schema.createIndex('changes_by_xid').on('changes').column('xid').execute()
  await db.schema
    .createTable('feed_followers')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('seen_at', 'bigint', c => c.notNull())
    .addColumn('horizon', 'bigint', c => c.notNull())
    .execute()
}

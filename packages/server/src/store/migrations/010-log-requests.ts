// Logs that one node asks another for.
import type { Kysely } from 'kysely'

export async function logRequests(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('log_requests')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('node_id', 'text', c => c.notNull())
    .addColumn('request', 'text', c => c.notNull())
    .addColumn('answer', 'text')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
  await db.schema.createIndex('log_requests_by_node').on('log_requests').column('node_id').execute()
}

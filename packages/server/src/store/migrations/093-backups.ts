// Backups to a repository: who makes one, when the next one is due, and how the last ones went.
import type { Kysely } from 'kysely'

export async function backups(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('backups')
    .addColumn('place', 'text', c => c.primaryKey())
    .addColumn('holder', 'text', c => c.notNull())
    .addColumn('held_until', 'bigint', c => c.notNull())
    .addColumn('began_at', 'bigint')
    .addColumn('schedule', 'text')
    .addColumn('next_run_at', 'bigint')
    .addColumn('good_at', 'bigint')
    .addColumn('good_id', 'text')
    .addColumn('good_bytes', 'bigint', c => c.notNull())
    .addColumn('sent_bytes', 'bigint', c => c.notNull())
    .addColumn('snapshots', 'integer', c => c.notNull())
    .addColumn('damaged', 'integer', c => c.notNull())
    .addColumn('failures', 'integer', c => c.notNull())
    .addColumn('failed_at', 'bigint')
    .addColumn('error', 'text')
    .execute()
}

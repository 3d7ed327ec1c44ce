// The PostgreSQL databases of projects. A row outlives its project until the server has deleted the database.
import type { Kysely } from 'kysely'

export async function appDatabases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('app_databases')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('project_id', 'text', c => c.references('projects.id').onDelete('set null'))
    .addColumn('sealed', 'text', c => c.notNull())
    .addColumn('key_id', 'text', c => c.notNull())
    .addColumn('size_bytes', 'bigint', c => c.notNull())
    .addColumn('connections', 'integer', c => c.notNull())
    .addColumn('mode', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('ready_at', 'bigint')
    .addColumn('removed_at', 'bigint')
    .addColumn('used_bytes', 'bigint')
    .execute()
  await db.schema
    .createIndex('app_databases_by_project')
    .on('app_databases')
    .columns(['project_id', 'removed_at'])
    .execute()
}

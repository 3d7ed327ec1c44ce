// Databases of previews. Their rows have no `project_id`: nodes of the version before would give such a database to production.
import type { Kysely } from 'kysely'

export async function previewDatabases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('app_databases')
    .addColumn('preview_of', 'text', c => c.references('projects.id').onDelete('set null'))
    .execute()
  await db.schema
    .alterTable('app_databases')
    .addColumn('branch', 'text', c => c.notNull().defaultTo(''))
    .execute()
  await db.schema
    .createIndex('app_databases_by_branch')
    .on('app_databases')
    .columns(['preview_of', 'branch'])
    .unique()
    .execute()
}

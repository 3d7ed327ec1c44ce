// The names that projects had before they were renamed. They redirect to the new name for a while.
import type { Kysely } from 'kysely'

export async function formerNames(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('former_names')
    .addColumn('name', 'text', c => c.primaryKey())
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('until', 'bigint', c => c.notNull())
    .execute()
  await db.schema.createIndex('former_names_of_project').on('former_names').column('project_id').execute()
}

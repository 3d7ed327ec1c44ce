// Which deployments of a project are deleted by themselves. A project without a row keeps all.
import type { Kysely } from 'kysely'

export async function retention(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('project_retention')
    .addColumn('project_id', 'text', c => c.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('production_count', 'integer')
    .addColumn('preview_days', 'integer')
    .execute()
}

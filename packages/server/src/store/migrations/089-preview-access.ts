// Who may see the previews of a project, where that differs from its site.
import type { Kysely } from 'kysely'

export async function previewAccess(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('preview_access')
    .addColumn('project_id', 'text', c => c.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('mode', 'text', c => c.notNull())
    .addColumn('password_hash', 'text')
    .execute()
}

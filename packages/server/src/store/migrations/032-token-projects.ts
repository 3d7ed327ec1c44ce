// Tokens that reach only one project. They are deleted with it.
import type { Kysely } from 'kysely'

export async function tokenProjects(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('tokens')
    .addColumn('project_id', 'text', c => c.references('projects.id').onDelete('cascade'))
    .execute()
  // Deleting a project looks for its tokens.
  await db.schema.createIndex('tokens_by_project').on('tokens').column('project_id').execute()
}

// The version of Node that a project asks for, and the one that each deployment was made with.
import type { Kysely } from 'kysely'

export async function nodeVersions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('project_nodes')
    .addColumn('project_id', 'text', c => c.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('range', 'text', c => c.notNull())
    .execute()
  await db.schema.alterTable('deployments').addColumn('node_asked', 'text').execute()
  await db.schema.alterTable('deployments').addColumn('node_version', 'text').execute()
}

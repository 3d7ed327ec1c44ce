// Pictures of live sites: one of each project.
import type { Kysely } from 'kysely'

export async function pictures(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('project_pictures')
    .addColumn('project_id', 'text', c => c.primaryKey().references('projects.id').onDelete('cascade'))
    // The deployment that the picture shows, or is to show.
    .addColumn('deployment_id', 'text', c => c.notNull().references('deployments.id').onDelete('cascade'))
    .addColumn('attempts', 'integer', c => c.notNull())
    // When a worker may try again. Null when it is done.
    .addColumn('next_at', 'bigint')
    // Null while there is no picture.
    .addColumn('hash', 'text')
    .addColumn('base64', 'text')
    .execute()
  await db.schema
    .createIndex('picture_of_deployment')
    .on('project_pictures')
    .column('deployment_id')
    .execute()
}

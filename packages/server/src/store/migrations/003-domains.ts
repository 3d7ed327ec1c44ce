// Custom domains.
import type { Kysely } from 'kysely'

export async function domains(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('domains')
    .addColumn('domain', 'text', c => c.primaryKey())
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('branch', 'text')
    // A deployment that a domain shows cannot be deleted; the database itself refuses.
    .addColumn('deployment_id', 'text', c => c.references('deployments.id'))
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
  await db.schema.createIndex('domains_by_project').on('domains').columns(['project_id', 'branch']).execute()
  await db.schema.createIndex('domains_by_deployment').on('domains').column('deployment_id').execute()
}

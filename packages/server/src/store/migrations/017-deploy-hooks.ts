// Deploy hooks: secret URLs that build a branch. Only a hash of the secret is stored.
import type { Kysely } from 'kysely'

export async function deployHooks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deploy_hooks')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('branch', 'text', c => c.notNull())
    .addColumn('secret_hash', 'text', c => c.notNull().unique())
    .addColumn('created_by', 'text', c => c.references('accounts.id').onDelete('set null'))
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute()
  await db.schema.createIndex('deploy_hooks_by_project').on('deploy_hooks').column('project_id').execute()
}

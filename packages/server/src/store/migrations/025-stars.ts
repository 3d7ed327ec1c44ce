// Projects that an account has starred.
import type { Kysely } from 'kysely'

export async function stars(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('stars')
    .addColumn('account_id', 'text', c => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('stars_key', ['account_id', 'project_id'])
    .execute()
  // Deleting a project looks for its stars.
  await db.schema.createIndex('stars_by_project').on('stars').column('project_id').execute()
}

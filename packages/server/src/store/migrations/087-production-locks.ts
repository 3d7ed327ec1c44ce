// Production stays as it is after a rollback: pushes are built, but do not go live until someone unlocks it.
import type { Kysely } from 'kysely'

export async function productionLocks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('production_locks')
    .addColumn('project_id', 'text', c => c.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('locked_at', 'bigint', c => c.notNull())
    .addColumn('locked_by', 'text', c => c.references('accounts.id').onDelete('set null'))
    .execute()
  await db.schema
    .alterTable('builds')
    .addColumn('asked_for', 'integer', c => c.notNull().defaultTo(0))
    .execute()
}

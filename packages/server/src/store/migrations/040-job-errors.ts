// Why a background job failed, when it was given up, and what the operator's checks found.
import type { Kysely } from 'kysely'

export async function jobErrors(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('jobs').addColumn('error', 'text').execute()
  // A job that was given up also gets a `run_at` that never comes, because servers of the version before know only that.
  await db.schema.alterTable('jobs').addColumn('failed_at', 'bigint').execute()
  await db.schema
    .createTable('check_results')
    .addColumn('name', 'text', c => c.primaryKey())
    .addColumn('ok', 'integer', c => c.notNull())
    .addColumn('message', 'text', c => c.notNull())
    .addColumn('advice', 'text')
    .addColumn('checked_at', 'bigint', c => c.notNull())
    .execute()
}

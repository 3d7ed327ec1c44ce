// What the files of a project's deployments take, as running totals: to sum up all deployments at each deploy took longer
// the more there were.
import { type Kysely, sql } from 'kysely'

export async function storedTotals(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('stored_totals')
    .addColumn('project_id', 'text', c => c.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('bytes', 'bigint', c => c.notNull())
    .addColumn('deployments', 'bigint', c => c.notNull())
    .addColumn('checked_at', 'bigint', c => c.notNull())
    .execute()
  await db.schema.createIndex('stored_totals_by_check').on('stored_totals').column('checked_at').execute()
  await sql`insert into stored_totals (project_id, bytes, deployments, checked_at)
    select project_id, coalesce(sum(size_bytes), 0), count(*), 0 from deployments
    where status in ('live', 'superseded', 'branch') or parts_until is not null
    group by project_id`.execute(db)
}

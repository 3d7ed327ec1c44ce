// Finds old entries of the audit log, and those of deleted projects, without reading the whole log.
import { type Kysely, sql } from 'kysely'

export async function rowBounds(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('audit_by_time').on('audit').column('created_at').execute()
  await sql`create index audit_of_nobody on audit (id) where project_id is null and org_id is null`.execute(
    db,
  )
}

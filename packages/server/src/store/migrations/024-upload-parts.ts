// Until when the files of an upload that broke off are kept.
import { type Kysely, sql } from 'kysely'

export async function uploadParts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('deployments').addColumn('parts_until', 'bigint').execute()
  await sql`create index deployments_with_parts on deployments (parts_until) where parts_until is not null`.execute(
    db,
  )
}

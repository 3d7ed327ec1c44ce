// The index of a branch's deployments in the order in which they are asked for. Without their ids at its end, SQLite took the
// index of all deployments of the project instead, and read them all where the branch has none.
import { type Kysely, sql } from 'kysely'

export async function branchOrder(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('deployments_by_branch').execute()
  await sql`create index deployments_by_branch on deployments (project_id, branch_slug, created_at, id)`.execute(
    db,
  )
}

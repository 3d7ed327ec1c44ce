// The filters and orders of a project's deployments as indexes. Without them, a page of few deployments among many, and each
// deploy, read all deployments of the project.
import { type Kysely, sql } from 'kysely'

export async function deploymentOrders(db: Kysely<unknown>): Promise<void> {
  await sql`create index deployments_by_status on deployments (project_id, status, created_at, id)`.execute(
    db,
  )
  await sql`create index deployments_by_kind on deployments (project_id, kind, created_at, id)`.execute(db)
  await sql`create index deployments_by_git_branch on deployments (project_id, git_branch, created_at, id)
    where git_branch is not null`.execute(db)
  await sql`create index deployments_by_end on deployments (project_id, superseded_at, id)
    where superseded_at is not null`.execute(db)
}

// What is known of the branches of a project: the newest build and the newest deployment of each.
import { sql } from 'kysely'
import type { Db } from '../store.ts'
import type { BuildRow, DeploymentRow } from '../tables.ts'

/** The newest build of each branch, the newest first. */
export const newestBuilds = (db: Db, projectId: string, limit: number): Promise<BuildRow[]> =>
  db
    .selectFrom('builds')
    .selectAll()
    .where('project_id', '=', projectId)
    .where(
      sql<boolean>`not exists (select 1 from builds newer where newer.project_id = builds.project_id
        and newer.branch = builds.branch and (newer.created_at, newer.id) > (builds.created_at, builds.id))`,
    )
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()

type BranchDeployment = Pick<DeploymentRow, 'id' | 'git_branch' | 'branch_slug' | 'created_at'>

/** What the URL of each branch shows, the newest first. */
export const shownOfBranches = (db: Db, projectId: string, limit: number): Promise<BranchDeployment[]> =>
  db
    .selectFrom('deployments')
    .select(['id', 'git_branch', 'branch_slug', 'created_at'])
    .where('project_id', '=', projectId)
    .where('branch_slug', 'is not', null)
    .where('status', 'in', ['live', 'superseded', 'branch'])
    .where(
      sql<boolean>`not exists (select 1 from deployments newer where newer.project_id = deployments.project_id
        and newer.branch_slug = deployments.branch_slug and newer.status in ('live', 'superseded', 'branch')
        and (newer.created_at, newer.id) > (deployments.created_at, deployments.id))`,
    )
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()

// Deployments, and the transition that makes one live.
import { cursorOf, type PageRequest, pageOf } from '../../lib/page.ts'
import { olderThan } from '../pages.ts'
import type { Db, Tx } from '../store.ts'
import type { DeploymentRow } from '../tables.ts'
import { addUploaded, countedColumns, stored, takeFromTotals } from './stored-totals.ts'

export type DeploymentWithLogin = DeploymentRow & { created_by_login: string | null }

const withLogin = (db: Db) =>
  db
    .selectFrom('deployments')
    .leftJoin('accounts', 'accounts.id', 'deployments.created_by')
    .selectAll('deployments')
    .select('accounts.login as created_by_login')

export const recentDeployments = (db: Db, projectId: string, limit: number): Promise<DeploymentWithLogin[]> =>
  withLogin(db)
    .where('project_id', '=', projectId)
    .orderBy('deployments.created_at', 'desc')
    .orderBy('deployments.id', 'desc')
    .limit(limit)
    .execute()

export interface DeploymentFilter {
  status?: DeploymentRow['status'] | undefined
  branch?: string | undefined
  kind?: DeploymentRow['kind'] | undefined
}

export async function listDeployments(
  db: Db,
  projectId: string,
  { status, branch, kind }: DeploymentFilter,
  page: PageRequest,
) {
  const rows = await withLogin(db)
    .where('project_id', '=', projectId)
    .where(olderThan('deployments', page))
    .$if(status !== undefined, q => q.where('status', '=', status ?? 'live'))
    .$if(branch !== undefined, q => q.where('git_branch', '=', branch ?? ''))
    .$if(kind !== undefined, q => q.where('kind', '=', kind ?? 'static'))
    .orderBy('deployments.created_at', 'desc')
    .orderBy('deployments.id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}

export const findWithLogin = (
  db: Db,
  projectId: string,
  id: string,
): Promise<DeploymentWithLogin | undefined> =>
  withLogin(db).where('deployments.id', '=', id).where('project_id', '=', projectId).executeTakeFirst()

/** The newest deployment before this one that was published at the same place and still has its files. */
export async function findPredecessor(db: Db, row: DeploymentRow): Promise<string | undefined> {
  const earlier = db
    .selectFrom('deployments')
    .select('id')
    .where('project_id', '=', row.project_id)
    .where(olderThan('deployments', { limit: 1, cursor: cursorOf(row) }))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
  const found = await (row.status === 'branch'
    ? earlier.where('git_branch', '=', row.git_branch).where('status', 'in', stored)
    : earlier.where('status', 'in', ['live', 'superseded'])
  ).executeTakeFirst()
  return found?.id
}

export const findDeployment = (db: Db, projectId: string, id: string): Promise<DeploymentRow | undefined> =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()

export async function activeDeployment(db: Db, projectId: string): Promise<string | null> {
  const row = await db
    .selectFrom('projects')
    .select('active_deployment_id')
    .where('id', '=', projectId)
    .executeTakeFirst()
  return row?.active_deployment_id ?? null
}

/**
 * Makes a deployment the live one. Returns false if its status is not one of `from`. The project's row is taken
 * first, so that concurrent moves of one project take turns.
 */
export async function makeLive(
  tx: Tx,
  projectId: string,
  id: string,
  from: readonly DeploymentRow['status'][],
  now: number,
): Promise<boolean> {
  await tx.updateTable('projects').set({ active_deployment_id: id }).where('id', '=', projectId).execute()
  await tx
    .updateTable('deployments')
    .set({ status: 'superseded', superseded_at: now })
    .where('project_id', '=', projectId)
    .where('status', '=', 'live')
    .where('id', '<>', id)
    .execute()
  const become = (statuses: readonly DeploymentRow['status'][]) =>
    tx
      .updateTable('deployments')
      .set({ status: 'live', superseded_at: null })
      .where('id', '=', id)
      .where('project_id', '=', projectId)
      .where('status', 'in', statuses)
      .returning(countedColumns)
      .execute()
  const counted = from.filter(status => status !== 'uploading')
  if (counted.length > 0 && (await become(counted)).length > 0) return true
  if (counted.length === from.length) return false
  const uploaded = await become(['uploading'])
  await addUploaded(tx, uploaded)
  return uploaded.length > 0
}

/** The newest deployment that is or was live, or could have been. */
export const newestProduction = (db: Db, projectId: string): Promise<DeploymentRow | undefined> =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('status', 'in', ['live', 'superseded'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Deletes the record. Returns false if it is the live deployment. */
export async function deleteInactive(tx: Tx, projectId: string, id: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('deployments')
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where('status', '<>', 'live')
    .returning(countedColumns)
    .execute()
  await takeFromTotals(tx, deleted)
  return deleted.length === 1
}

/** The deployments of a branch that were never live in production. */
export async function previewsOf(db: Db, projectId: string, branch: string): Promise<string[]> {
  const rows = await db
    .selectFrom('deployments')
    .select('id')
    .where('project_id', '=', projectId)
    .where('git_branch', '=', branch)
    .where('status', '=', 'branch')
    .execute()
  return rows.map(row => row.id)
}

/** The deployment at the URL of a branch. */
export const newestOfBranch = (
  db: Db,
  projectId: string,
  branch: string,
): Promise<DeploymentRow | undefined> =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('git_branch', '=', branch)
    .where('status', '=', 'branch')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Promoted deployments of a deleted branch stay, but no longer at the URL of the branch. */
export async function detachFromBranch(tx: Tx, projectId: string, branch: string): Promise<void> {
  await tx
    .updateTable('deployments')
    .set({ branch_slug: null })
    .where('project_id', '=', projectId)
    .where('git_branch', '=', branch)
    .where('status', 'in', ['live', 'superseded'])
    .execute()
}

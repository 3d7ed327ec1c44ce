// Deployments, and the transition that makes one live.
import { cursorOf, type PageRequest, pageOf } from '../../lib/page.ts'
import { isMissingReference } from '../faults.ts'
import { olderThan } from '../pages.ts'
import { prepared } from '../prepared.ts'
import type { Db, Tx } from '../store.ts'
import type { DeploymentRow } from '../tables.ts'
import { addToTotals, addUploaded, countedColumns, stored, takeFromTotals } from './stored-totals.ts'

export type DeploymentWithLogin = DeploymentRow & { created_by_login: string | null }

/** Returns false if the project is gone. */
export async function insertDeployment(db: Db, row: DeploymentRow): Promise<boolean> {
  try {
    await db.insertInto('deployments').values(row).execute()
    // Only tests insert deployments that have files.
    if (row.status !== 'uploading' && row.status !== 'failed') await addToTotals(db, [row])
    return true
  } catch (error) {
    if (isMissingReference(error)) return false
    throw error
  }
}

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

/** What an upload found, noted while it is still `uploading`. Returns false if it no longer is. */
export async function completeUpload(
  db: Db,
  id: string,
  facts: Pick<
    DeploymentRow,
    'file_count' | 'size_bytes' | 'kind' | 'framework' | 'start_command' | 'warnings' | 'finished_at'
  >,
): Promise<boolean> {
  const updated = await db
    .updateTable('deployments')
    .set(facts)
    .where('id', '=', id)
    .where('status', '=', 'uploading')
    .where('parts_until', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
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

/** `branch` for a preview, `superseded` for a deployment that may go live later. Does nothing if it is no longer `uploading`. */
export async function markUploaded(tx: Tx, id: string, status: 'branch' | 'superseded'): Promise<void> {
  const uploaded = await tx
    .updateTable('deployments')
    .set({ status })
    .where('id', '=', id)
    .where('status', '=', 'uploading')
    .returning(countedColumns)
    .execute()
  await addUploaded(tx, uploaded)
}

/** Records of failed uploads that are kept of a project. They have no files. */
const failedAtMost = 100

/** The oldest failed ones beyond the bound are deleted. Returns the deployment, if it was an upload until now. */
export async function markFailed(db: Db, id: string, error: string, now: number) {
  const failed = await db
    .updateTable('deployments')
    .set({ status: 'failed', error, finished_at: now })
    .where('id', '=', id)
    .where('status', '=', 'uploading')
    .returning(['project_id', 'git_branch'])
    .executeTakeFirst()
  if (!failed) return undefined
  const ofProject = db
    .selectFrom('deployments')
    .where('project_id', '=', failed.project_id)
    .where('status', '=', 'failed')
  const oldestKept = ofProject
    .select('created_at')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(failedAtMost - 1)
  await db
    .deleteFrom('deployments')
    .where('id', 'in', ofProject.select('id').where('created_at', '<', oldestKept))
    .where('parts_until', 'is', null)
    .execute()
  return failed
}

/** Uploads that a node was receiving when it died, or that nobody can still be sending. */
export async function failInterrupted(
  db: Db,
  which: { nodeId: string } | { startedBefore: number },
  error: string,
): Promise<Pick<DeploymentRow, 'id' | 'project_id' | 'git_branch' | 'git_sha' | 'parts_until'>[]> {
  const update = db
    .updateTable('deployments')
    .set({ status: 'failed', error })
    .where('status', '=', 'uploading')
  return await ('nodeId' in which
    ? update.where('node_id', '=', which.nodeId)
    : update.where('created_at', '<', which.startedBefore)
  )
    .returning(['id', 'project_id', 'git_branch', 'git_sha', 'parts_until'])
    .execute()
}

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

/** What decides which files of a deployment are compressed, and the name of its project. */
export async function findToCompress(
  db: Db,
  id: string,
): Promise<{ kind: string | null; framework: string | null; projectName: string } | undefined> {
  return await db
    .selectFrom('deployments')
    .innerJoin('projects', 'projects.id', 'deployments.project_id')
    .select(['deployments.kind', 'deployments.framework', 'projects.name as projectName'])
    .where('deployments.id', '=', id)
    .executeTakeFirst()
}

/** Of these ids, those whose files must be kept. */
export async function storedAmong(db: Db, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('deployments')
    .select('id')
    .where('id', 'in', ids)
    .where(eb => eb.or([eb('status', '<>', 'failed'), eb('parts_until', 'is not', null)]))
    .execute()
  return new Set(rows.map(row => row.id))
}

/** The ids of all deployments whose files must exist. */
export async function storedDeployments(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('deployments').select('id').where('status', 'in', stored).execute()
  return rows.map(row => row.id)
}

/** Of these ids, those that visitors may request. */
export async function servedAmong(db: Db, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('deployments')
    .select('id')
    .where('id', 'in', ids)
    .where('status', 'in', ['uploading', 'live', 'branch'])
    .execute()
  return new Set(rows.map(row => row.id))
}

export const findStored = prepared((db, projectId: string, id: string) =>
  db
    .selectFrom('deployments')
    .select(['id', 'kind', 'created_at', 'framework'])
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where('status', 'in', stored),
)

export const findLatestOfBranch = prepared((db, projectId: string, slug: string) =>
  db
    .selectFrom('deployments')
    .select(['id', 'kind', 'created_at', 'framework'])
    .where('project_id', '=', projectId)
    .where('branch_slug', '=', slug)
    // A promoted deployment has another status but still belongs to its branch.
    .where('status', 'in', stored)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

export async function findLatestBranchDeployment(
  db: Db,
  projectId: string,
  branch: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('deployments')
    .select('id')
    .where('project_id', '=', projectId)
    .where('git_branch', '=', branch)
    .where('branch_slug', 'is not', null)
    .where('status', 'in', stored)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

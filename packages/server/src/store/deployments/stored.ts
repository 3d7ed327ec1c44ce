// Deployments whose files exist: what the edge serves, and what may be deleted.
import { prepared } from '../prepared.ts'
import type { Db } from '../store.ts'
import type { DeploymentRow } from '../tables.ts'
import { stored } from './stored-totals.ts'

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

/** Of these images, those that a deployment may still start. */
export async function imagesAmong(db: Db, names: string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const rows = await db
    .selectFrom('deployments')
    .select('image')
    .where('image', 'in', names)
    .where('status', '<>', 'failed')
    .execute()
  return new Set(rows.map(row => row.image ?? ''))
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

/** The deployments of a project that have files, oldest first. */
export const deploymentsOf = (db: Db, projectId: string): Promise<DeploymentRow[]> =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('status', 'in', stored)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

// Builds and their logs. queue.ts says which one is next.
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { type PageRequest, pageOf } from '../../lib/page.ts'
import { olderThan } from '../pages.ts'
import { noteActivity } from '../projects/activity.ts'
import type { Db, Tx } from '../store.ts'
import type { BuildLogRow, BuildRow, Tables } from '../tables.ts'

export async function insertBuild(tx: Tx, row: BuildRow): Promise<void> {
  await noteActivity(tx, row.project_id, row.created_at)
  await tx.insertInto('builds').values(row).execute()
}

export const findBuild = (db: Db, id: string): Promise<BuildRow | undefined> =>
  db.selectFrom('builds').selectAll().where('id', '=', id).executeTakeFirst()

/** Whether a commit of the project was built, or is to be. */
export const hasBuildOf = async (db: Db, projectId: string, commit: string): Promise<boolean> =>
  (await db
    .selectFrom('builds')
    .select('id')
    .where('project_id', '=', projectId)
    .where('commit_sha', '=', commit)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** The newest build of a commit, by the beginning of its SHA. With a branch, only those of the branch. */
export const findBuildOfCommit = (
  db: Db,
  projectId: string,
  sha: string,
  branch: string | undefined,
): Promise<BuildRow | undefined> =>
  db
    .selectFrom('builds')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('commit_sha', 'like', `${sha}%`)
    .$if(branch !== undefined, query => query.where('branch', '=', branch!))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** The builds that made these deployments, by the id of the deployment. */
export async function buildsOf(db: Db, deploymentIds: readonly string[]): Promise<Map<string, BuildRow>> {
  if (deploymentIds.length === 0) return new Map()
  const rows = await db.selectFrom('builds').selectAll().where('deployment_id', 'in', deploymentIds).execute()
  return new Map(rows.map(row => [row.deployment_id ?? '', row]))
}

interface BuildFilter {
  status?: BuildRow['status'] | undefined
  branch?: string | undefined
}

export async function listBuilds(
  db: Db,
  projectId: string,
  { status, branch, ...page }: PageRequest & BuildFilter,
) {
  const rows = await db
    .selectFrom('builds')
    .selectAll()
    .where('project_id', '=', projectId)
    .$if(status !== undefined, query => query.where('status', '=', status!))
    .$if(branch !== undefined, query => query.where('branch', '=', branch!))
    .where(olderThan('builds', page))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}

export const latestBuild = (db: Db, projectId: string, branch: string): Promise<BuildRow | undefined> =>
  db
    .selectFrom('builds')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('branch', '=', branch)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Returns which ended. */
export async function cancelQueued(
  tx: Tx,
  of: { id: string } | { projectId: string; branch?: string },
  end: { now: number; error: string },
): Promise<string[]> {
  const rows = await tx
    .updateTable('builds')
    .set({ status: 'cancelled', finished_at: end.now, error: end.error })
    .where(eb => among(eb, of))
    .where('status', '=', 'queued')
    .returning('id')
    .execute()
  return rows.map(row => row.id)
}

/** One build, those of a branch, or all of a project. */
const among = (
  eb: ExpressionBuilder<Tables, 'builds'>,
  of: { id: string } | { projectId: string; branch?: string },
): Expression<SqlBool> => {
  if ('id' in of) return eb('id', '=', of.id)
  const ofProject = eb('project_id', '=', of.projectId)
  return of.branch === undefined ? ofProject : eb.and([ofProject, eb('branch', '=', of.branch)])
}

/**
 * Queued builds end now. The builder of one that runs hears of it by the change that the caller appends, unless the build
 * has published its deployment already. Answers which were concerned.
 */
export async function cancelBuilds(
  tx: Tx,
  of: { id: string } | { projectId: string; branch?: string },
  end: { now: number; error: string },
): Promise<string[]> {
  const running = await tx
    .updateTable('builds')
    .set({ cancel_requested: 1, error: end.error })
    .where(eb => among(eb, of))
    .where('status', '=', 'building')
    .where('deployment_id', 'is', null)
    .returning('id')
    .execute()
  return [...(await cancelQueued(tx, of, end)), ...running.map(row => row.id)]
}

/** A claimed build. `attempts` identifies the claim, because every claim adds one. */
type ClaimedBuild = Pick<BuildRow, 'id' | 'attempts'>

/** The claim is still valid. */
const held = (eb: ExpressionBuilder<Tables, 'builds'>, { id, attempts }: ClaimedBuild) =>
  eb.and([eb('id', '=', id), eb('status', '=', 'building'), eb('attempts', '=', attempts)])

export async function renewLease(
  db: Db,
  build: ClaimedBuild,
  leaseUntil: number,
): Promise<{ isOurs: boolean; isCancelled: boolean }> {
  const row = await db
    .updateTable('builds')
    .set({ lease_until: leaseUntil })
    .where(eb => held(eb, build))
    .returning('cancel_requested')
    .executeTakeFirst()
  return { isOurs: row !== undefined, isCancelled: row?.cancel_requested === 1 }
}

/**
 * In the transaction that publishes its deployment: false where the build was cancelled, or is another builder's by now.
 * From here on it cannot be cancelled any more.
 */
export async function notePublished(tx: Tx, build: ClaimedBuild, deploymentId: string): Promise<boolean> {
  const noted = await tx
    .updateTable('builds')
    .set({ deployment_id: deploymentId })
    .where(eb => held(eb, build))
    .where('cancel_requested', '=', 0)
    .executeTakeFirst()
  return noted.numUpdatedRows === 1n
}

/** Ends a build, or puts it back into the queue. A compare and swap: false where it is another builder's by now, or ended. */
export async function leaveBuild(
  db: Db,
  build: ClaimedBuild,
  to: Pick<BuildRow, 'status' | 'finished_at'> &
    Partial<Pick<BuildRow, 'error' | 'attempts' | 'retries' | 'retry_at'>>,
): Promise<boolean> {
  const left = await db
    .updateTable('builds')
    .set({ ...to, node_id: null, lease_until: null })
    .where(eb => held(eb, build))
    .executeTakeFirst()
  return left.numUpdatedRows === 1n
}

/** Whether another build of its branch waits that was queued later. */
export const hasLaterInQueue = async (
  db: Db,
  { project_id, branch, created_at }: Pick<BuildRow, 'project_id' | 'branch' | 'created_at'>,
): Promise<boolean> =>
  (await db
    .selectFrom('builds')
    .select('id')
    .where('project_id', '=', project_id)
    .where('branch', '=', branch)
    .where('status', '=', 'queued')
    .where('created_at', '>=', created_at)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Builds whose builder is gone: those of a node that has just started, or with an expired lease. */
export const abandonedBuilds = (db: Db, by: { nodeId: string } | { now: number }): Promise<BuildRow[]> =>
  db
    .selectFrom('builds')
    .selectAll()
    .where('status', '=', 'building')
    .where(eb => ('nodeId' in by ? eb('node_id', '=', by.nodeId) : eb('lease_until', '<', by.now)))
    .execute()

export async function appendBuildLog(db: Db, row: BuildLogRow): Promise<void> {
  await db.insertInto('build_logs').values(row).execute()
}

/** Where the log of a build ends so far. */
export async function buildLogEnd(db: Db, buildId: string): Promise<number> {
  const row = await db
    .selectFrom('build_logs')
    .select(['at', 'bytes'])
    .where('build_id', '=', buildId)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? row.at + row.bytes : 0
}

/** The parts of a log that reach beyond the offset, in their order. */
export const readBuildLog = (db: Db, buildId: string, offset: number): Promise<BuildLogRow[]> =>
  db
    .selectFrom('build_logs')
    .selectAll()
    .where('build_id', '=', buildId)
    .where(sql<boolean>`at + bytes > ${offset}`)
    .orderBy('at')
    .execute()

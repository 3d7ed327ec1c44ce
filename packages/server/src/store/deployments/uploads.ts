// Uploads: deployments until their files are stored, and those that failed.
import { sql } from 'kysely'
import { isMissingReference } from '../faults.ts'
import { noteActivity } from '../projects/activity.ts'
import type { Db, Tx } from '../store.ts'
import type { DeploymentRow } from '../tables.ts'
import { addToTotals, addUploaded, countedColumns } from './stored-totals.ts'

/** Returns false if the project is gone. */
export async function insertDeployment(db: Db, row: DeploymentRow): Promise<boolean> {
  try {
    await noteActivity(db, row.project_id, row.created_at)
    await db.insertInto('deployments').values(row).execute()
    // Only tests insert deployments that have files.
    if (row.status !== 'uploading' && row.status !== 'failed') await addToTotals(db, [row])
    return true
  } catch (error) {
    if (isMissingReference(error)) return false
    throw error
  }
}

/** What an upload found, noted while it is still `uploading`. Returns false if it no longer is. */
export async function completeUpload(
  db: Db,
  id: string,
  facts: Pick<
    DeploymentRow,
    | 'file_count'
    | 'size_bytes'
    | 'kind'
    | 'framework'
    | 'start_command'
    | 'warnings'
    | 'finished_at'
    | 'node_asked'
    | 'node_version'
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

/** The release command of the deployment has succeeded. It does not run again. */
export async function markReleased(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('deployments').set({ released_at: now }).where('id', '=', id).execute()
}

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
    // Written into the statement: so SQLite knows that the index of the uploads has them all.
    .where('status', '=', sql.lit('uploading'))
  return await ('nodeId' in which
    ? update.where('node_id', '=', which.nodeId)
    : update.where('created_at', '<', which.startedBefore)
  )
    .returning(['id', 'project_id', 'git_branch', 'git_sha', 'parts_until'])
    .execute()
}

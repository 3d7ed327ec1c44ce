// The disks of projects.
import { prepared } from '../prepared.ts'
import type { Db, Tx } from '../store.ts'
import type { DiskRow } from '../tables.ts'

/** Also one that was removed and is still kept. An empty branch is production. */
export const findDisk = (db: Db, projectId: string, branch: string): Promise<DiskRow | undefined> =>
  db
    .selectFrom('disks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('branch', '=', branch)
    .executeTakeFirst()

export const findDiskById = prepared((db, id: string) =>
  db.selectFrom('disks').selectAll().where('id', '=', id),
)

export async function insertDisk(tx: Tx, row: DiskRow): Promise<void> {
  await tx.insertInto('disks').values(row).execute()
}

export async function changeDisk(
  db: Db,
  id: string,
  to: Partial<
    Pick<
      DiskRow,
      | 'size_bytes'
      | 'path'
      | 'is_shared'
      | 'used_bytes'
      | 'measured_at'
      | 'problem'
      | 'task'
      | 'removed_at'
      | 'preview_data'
      | 'awaits_copy'
    >
  >,
): Promise<void> {
  await db.updateTable('disks').set(to).where('id', '=', id).execute()
}

/** Those of all branches take the size, the path and the sharing of the one of production. */
export async function changeBranchDisks(
  tx: Tx,
  projectId: string,
  to: Partial<Pick<DiskRow, 'size_bytes' | 'path' | 'is_shared'>>,
): Promise<void> {
  await tx
    .updateTable('disks')
    .set(to)
    .where('project_id', '=', projectId)
    .where('branch', '<>', '')
    .execute()
}

/** Deletes disks. What says that their files are to be deleted stays. */
export async function discardDisks(
  tx: Tx,
  which: { projectId: string; branch?: string },
  now: number,
): Promise<void> {
  const deleted = await tx
    .deleteFrom('disks')
    .where('project_id', '=', which.projectId)
    .$if(which.branch !== undefined, query => query.where('branch', '=', which.branch!))
    .returning(['id', 'node_id'])
    .execute()
  const withFiles = deleted.filter(row => row.node_id !== '')
  if (withFiles.length === 0) return
  await tx
    .insertInto('discarded_disks')
    .values(withFiles.map(row => ({ ...row, discarded_at: now })))
    .execute()
}

/** Disks of a node that are not needed: those removed before a time, and those of branches without a deployment. */
export const listUnneeded = prepared((db, nodeId: string, removedBefore: number, createdBefore: number) =>
  db
    .selectFrom('disks')
    .select(['project_id', 'branch'])
    .where('node_id', '=', nodeId)
    .where(eb =>
      eb.or([
        eb('removed_at', '<', removedBefore),
        eb.and([
          eb('branch', '<>', ''),
          eb('created_at', '<', createdBefore),
          eb.not(
            eb.exists(
              eb
                .selectFrom('deployments')
                .select('deployments.id')
                .whereRef('deployments.project_id', '=', 'disks.project_id')
                .whereRef('deployments.git_branch', '=', 'disks.branch')
                .where('deployments.status', 'in', ['branch', 'uploading']),
            ),
          ),
        ]),
      ]),
    ),
)

export const listDiscarded = prepared((db, nodeId: string) =>
  db.selectFrom('discarded_disks').selectAll().where('node_id', '=', nodeId),
)

export async function forgetDisk(db: Db, id: string): Promise<void> {
  await db.deleteFrom('discarded_disks').where('id', '=', id).execute()
}

export const listBranchDisks = (db: Db, projectId: string): Promise<DiskRow[]> =>
  db
    .selectFrom('disks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('branch', '<>', '')
    .orderBy('branch')
    .execute()

export async function countBranchDisks(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom('disks')
    .select(eb => eb.fn.countAll().as('count'))
    .where('project_id', '=', projectId)
    .where('branch', '<>', '')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The node keeps the disk from now on. Returns false if it is on another one. */
export async function claimDisk(db: Db, id: string, nodeId: string): Promise<boolean> {
  const claimed = await db
    .updateTable('disks')
    .set({ node_id: nodeId })
    .where('id', '=', id)
    .where('node_id', 'in', ['', nodeId])
    .executeTakeFirst()
  return claimed.numUpdatedRows === 1n
}

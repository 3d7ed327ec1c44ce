// Snapshots of disks, and what the node of a disk is asked to do.
import { prepared } from '../prepared.ts'
import type { Db } from '../store.ts'
import type { DiskRow, DiskSnapshotRow } from '../tables.ts'

/** Newest first. */
export const listSnapshots = (db: Db, diskId: string): Promise<DiskSnapshotRow[]> =>
  db
    .selectFrom('disk_snapshots')
    .selectAll()
    .where('disk_id', '=', diskId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

export async function insertSnapshot(db: Db, row: DiskSnapshotRow): Promise<void> {
  await db.insertInto('disk_snapshots').values(row).execute()
}

export async function forgetSnapshots(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('disk_snapshots').where('id', 'in', ids).execute()
}

/** The disks of a node that are in use, each with the time of its newest snapshot. */
export const listDisksOfNode = prepared((db, nodeId: string) =>
  db
    .selectFrom('disks')
    .selectAll()
    .select(eb =>
      eb
        .selectFrom('disk_snapshots')
        .select(({ fn }) => fn.max('disk_snapshots.created_at').as('at'))
        .whereRef('disk_snapshots.disk_id', '=', 'disks.id')
        .as('snapshot_at'),
    )
    .where('node_id', '=', nodeId)
    .where('removed_at', 'is', null),
)

/** The task that a disk waits for has been done, unless another one was asked for meanwhile. */
export async function endTask(db: Db, { id, task }: DiskRow, problem: string | null): Promise<void> {
  await db
    .updateTable('disks')
    .set({ task: null, problem })
    .where('id', '=', id)
    .where('task', '=', task)
    .execute()
}

/** False for a database that no svcd of this version has opened yet. */
export async function hasDisks(db: Db): Promise<boolean> {
  return (await db.introspection.getTables()).some(({ name }) => name === 'disk_snapshots')
}

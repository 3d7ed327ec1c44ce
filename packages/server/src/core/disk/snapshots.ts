// Snapshots of the disk of production: which are kept, and how they are asked for.
import { type DiskSnapshot, limits } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { changeDisk, findDisk } from '../../store/disk/disks.ts'
import { listSnapshots } from '../../store/disk/snapshots.ts'
import { lockProject, type ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Tx } from '../../store/store.ts'
import type { DiskRow, DiskSnapshotRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'

export async function snapshotsOf({ store }: Rows, project: ProjectWithOrg): Promise<DiskSnapshot[]> {
  const disk = await findDisk(store.db, project.id, '')
  if (!disk) return []
  return (await listSnapshots(store.db, disk.id)).map(({ id, reason, bytes, created_at }) => ({
    id,
    reason,
    bytes: Number(bytes),
    created_at: isoTime(created_at),
  }))
}

/** Those that are not kept: too many, or too old. The newest stays. `rows` are newest first. */
export const surplusSnapshots = (rows: readonly DiskSnapshotRow[], now: number): DiskSnapshotRow[] =>
  rows.filter(
    ({ created_at }, at) =>
      at >= limits.diskSnapshots || (at > 0 && now - Number(created_at) > limits.diskSnapshotDays * dayMs),
  )

export async function askForSnapshot(platform: Rows, caller: Caller, project: ProjectWithOrg): Promise<void> {
  await ask(platform, project, 'snapshot', tx =>
    audit(platform, tx, caller, { action: 'disk.snapshot', project }),
  )
}

export async function askForRestore(
  platform: Rows,
  caller: Caller,
  project: ProjectWithOrg,
  snapshotId: string,
): Promise<void> {
  await requireSnapshot(platform, project, snapshotId)
  await ask(platform, project, snapshotId, tx =>
    audit(platform, tx, caller, { action: 'disk.restore', project, target: snapshotId }),
  )
}

async function ask(
  { store }: Rows,
  project: ProjectWithOrg,
  task: string,
  also: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  await store.transact(async (tx, changed) => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const disk = await requireDiskOf(() => findDisk(tx, project.id, ''))
    if (disk.node_id === '')
      throw new Fault('not_found', 'The disk holds nothing yet, since no app has run with it.')
    if (disk.task !== null)
      throw new Fault('run_under_way', 'The disk is being copied. Try again when that is done.')
    await changeDisk(tx, disk.id, { task, problem: null })
    await also(tx)
    await changed({ topic: 'project', key: project.name })
  })
}

async function requireDiskOf(find: () => Promise<DiskRow | undefined>): Promise<DiskRow> {
  const disk = await find()
  if (!disk || disk.removed_at !== null) throw new Fault('not_found', 'The project has no disk.')
  return disk
}

async function requireSnapshot({ store }: Rows, project: ProjectWithOrg, id: string): Promise<DiskRow> {
  const disk = await requireDiskOf(() => findDisk(store.db, project.id, ''))
  const rows = await listSnapshots(store.db, disk.id)
  if (!rows.some(row => row.id === id)) throw new Fault('not_found', 'The disk has no such snapshot.')
  return disk
}

/** A tar archive. */
export async function downloadSnapshot(
  platform: Rows & Pick<Platform, 'appDisks' | 'nodeId'>,
  project: ProjectWithOrg,
  id: string,
) {
  const disk = await requireSnapshot(platform, project, id)
  if (disk.node_id !== platform.nodeId)
    throw new Fault('unavailable', 'Another machine of the platform has the disk. Ask at its address.')
  return await platform.appDisks.download(disk.id, id)
}

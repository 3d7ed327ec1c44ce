// The disks of server apps in backups: the newest snapshot of each disk, as a tar archive. What an app writes while it runs cannot
// be read as a whole, so the running svcd is asked for snapshots first.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../compose/ports.ts'
import type { Settings } from '../../config.ts'
import { type DataDirectory, lockRunner } from '../../data-directory.ts'
import { systemClock } from '../../lib/clock.ts'
import { createLog } from '../../log.ts'
import { DirectoryDisks } from '../../ports/app-disks/directory.ts'
import { giveTo } from '../../ports/app-runtime/project-user.ts'
import { takeSnapshot } from '../../runner/disk-tasks.ts'
import { changeDisk, findDiskById } from '../../store/disk/disks.ts'
import { hasDisks, listDisksOfNode } from '../../store/disk/snapshots.ts'
import { diskSnapshotsIn } from '../../store/sqlite/snapshot.ts'
import type { Store } from '../../store/store.ts'
import type { DiskRow } from '../../store/tables.ts'
import { databaseName, diskFile } from './format.ts'

/** How long the running svcd may take for the snapshots. After that, the backup has older ones. */
const snapshotsWithinMs = 10 * 60_000
const lookEveryMs = 500

/** Makes snapshots of the disks of this machine that may have changed. Returns those for which that failed. */
export async function snapshotDisks(settings: Settings, data: DataDirectory): Promise<string[]> {
  if (!existsSync(data.disksDir)) return []
  const store = await openStore(settings, data, createLog(settings))
  try {
    if (!(await hasDisks(store.db))) return []
    const { rows } = await listDisksOfNode(store.db, data.nodeId)
    const changed = rows.filter(row => row.branch === '' && mayHaveChanged(row, row.snapshot_at))
    if (changed.length === 0) return []
    const unlock = lockIfFree(settings)
    if (!unlock) return await askRunner(store, changed)
    try {
      // After a crash of svcd, containers of apps may still write. The next start ends them.
      if (existsSync(data.runningNote)) return changed.map(row => row.id)
      return await copyNow(store, data, changed)
    } finally {
      unlock()
    }
  } finally {
    await store.close()
  }
}

/** A disk is measured while its app runs. */
const mayHaveChanged = ({ measured_at }: DiskRow, snapshotAt: unknown): boolean =>
  measured_at !== null && (snapshotAt === null || Number(measured_at) > Number(snapshotAt))

/** `undefined` if svcd runs apps now. */
function lockIfFree(settings: Settings): (() => void) | undefined {
  try {
    return lockRunner(settings)
  } catch {
    return undefined // Another process has the lock.
  }
}

async function copyNow(store: Store, data: DataDirectory, disks: readonly DiskRow[]): Promise<string[]> {
  const parts = { store, clock: systemClock, disks: new DirectoryDisks(data.disksDir, giveTo) }
  const failed: string[] = []
  for (const disk of disks)
    await takeSnapshot(parts, disk, 'daily').catch(() => {
      failed.push(disk.id)
    })
  return failed
}

async function askRunner(store: Store, disks: readonly DiskRow[]): Promise<string[]> {
  for (const { id, task } of disks) if (task === null) await changeDisk(store.db, id, { task: 'snapshot' })
  let waiting = disks.map(({ id }) => id)
  const failed: string[] = []
  for (const until = performance.now() + snapshotsWithinMs; waiting.length > 0; await sleep(lookEveryMs)) {
    if (performance.now() > until) return [...failed, ...waiting]
    const still: string[] = []
    for (const id of waiting) {
      const disk = (await findDiskById(store.db, id)).rows[0]
      if (disk && disk.task !== null) still.push(id)
      else if (disk && disk.problem !== null) failed.push(id)
    }
    waiting = still
  }
  return failed
}

interface DiskArchive {
  name: string
  /** Returns false if the snapshot was removed meanwhile. */
  write(file: string): Promise<boolean>
}

/** The archives that belong to the copy of the database. `elsewhere` counts the disks of other machines. */
function diskArchives(data: DataDirectory, staged: string): { archives: DiskArchive[]; elsewhere: number } {
  const rows = diskSnapshotsIn(path.join(staged, databaseName))
  const here = rows.filter(row => row.node_id === data.nodeId)
  const disks = new DirectoryDisks(data.disksDir, giveTo)
  const archives = here.map(({ disk_id, id }) => ({
    name: diskFile(disk_id, id),
    write: (file: string) => disks.archive(disk_id, id, file),
  }))
  return { archives, elsewhere: rows.length - here.length }
}

/** Gives each archive to `use`, as a file that is removed afterwards. */
export async function eachDiskArchive(
  data: DataDirectory,
  staged: string,
  use: (name: string, write: (file: string) => Promise<boolean>, file: string) => Promise<void>,
): Promise<void> {
  const { archives, elsewhere } = diskArchives(data, staged)
  const file = path.join(staged, 'disk.tar')
  for (const { name, write } of archives) {
    await use(name, write, file)
    await rm(file, { force: true })
  }
  if (elsewhere > 0)
    process.stderr.write(
      `svcd: ${elsewhere} disks are on other machines, and not in this backup. Run it there, too.\n`,
    )
}

export function warnOfDisks(ids: readonly string[]): void {
  if (ids.length === 0) return
  process.stderr.write(
    `svcd: no new snapshot could be made of ${ids.length} disks (${ids.slice(0, 5).join(', ')}), so the backup has older ones, or none.\n`,
  )
}

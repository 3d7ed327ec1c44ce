// Snapshots and restores of the disks of this node. No app writes to a disk meanwhile: its instance ends, and requests wait until
// the next one has started. So what a snapshot holds is whole, as after a power cut at most, for SQLite, too.
import { dayMs, hourMs } from '@svc/contract/durations'
import { type InstanceParts, requestInstance } from '../core/apps/instances.ts'
import { surplusSnapshots } from '../core/disk/snapshots.ts'
import { newId } from '../lib/ids.ts'
import type { AppDisks } from '../ports/app-disks/port.ts'
import {
  endTask,
  forgetSnapshots,
  insertSnapshot,
  listDisksOfNode,
  listSnapshots,
} from '../store/disk/snapshots.ts'
import { findProjectById } from '../store/projects/projects.ts'
import type { DiskRow, DiskSnapshotRow } from '../store/tables.ts'
import type { DiskTurns, Turn } from './disk-turns.ts'

type DiskTaskParts = InstanceParts & { disks: AppDisks }

/** After a failure, the daily snapshot is not tried again for this long, since each attempt interrupts the app. */
const afterFailureMs = 6 * hourMs
/** A disk that has no snapshot yet gets its first one so long after it was added. */
const firstAfterMs = hourMs
/** What a copy leaves free. */
export const reserveBytes = 256 * 1024 ** 2

export class DiskTasks {
  readonly #parts: DiskTaskParts
  readonly #turns: DiskTurns
  readonly #onError: (error: unknown) => void
  readonly #underWay = new Map<string, Promise<void>>()
  readonly #failedAt = new Map<string, number>()
  readonly #stopping = new AbortController()

  constructor(parts: DiskTaskParts, turns: DiskTurns, onError: (error: unknown) => void) {
    this.#parts = parts
    this.#turns = turns
    this.#onError = onError
  }

  /** Begins what is due. */
  async look(): Promise<void> {
    const { store, nodeId, clock } = this.#parts
    for (const row of (await listDisksOfNode(store.db, nodeId)).rows) {
      if (this.#underWay.has(row.id) || this.#stopping.signal.aborted) continue
      const isDue = row.task !== null || this.#isDailyDue(row, row.snapshot_at, clock.now())
      if (!isDue) continue
      const work = this.#work(row).finally(() => this.#underWay.delete(row.id))
      this.#underWay.set(row.id, work)
    }
  }

  /** Waits for the copies that are being made. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('svcd stops'))
    await Promise.all(this.#underWay.values())
  }

  #isDailyDue({ id, branch, measured_at, created_at }: DiskRow, snapshotAt: unknown, now: number): boolean {
    if (branch !== '' || measured_at === null) return false
    if (now - (this.#failedAt.get(id) ?? 0) < afterFailureMs) return false
    if (snapshotAt === null) return now - Number(created_at) > firstAfterMs
    // It is measured while an app runs, so nothing was written since the last snapshot otherwise.
    return Number(measured_at) > Number(snapshotAt) && now - Number(snapshotAt) > dayMs
  }

  async #work(disk: DiskRow): Promise<void> {
    const { disks, clock } = this.#parts
    const turn = maintenanceOf(disk)
    let displaced: string[] = []
    let problem: string | null = null
    try {
      displaced = await this.#turns.take(turn, this.#stopping.signal)
      if (disk.task === null) await takeSnapshot(this.#parts, disk, 'daily')
      else if (disk.task === 'snapshot') await takeSnapshot(this.#parts, disk, 'manual')
      else {
        await takeSnapshot(this.#parts, disk, 'restore')
        await disks.restore(disk.id, disk.task)
      }
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      this.#failedAt.set(disk.id, clock.now())
      problem = `The disk could not be copied: ${(error as Error).message}`
      this.#onError(error)
    } finally {
      this.#turns.giveBack(turn)
    }
    await this.#end(disk, problem).catch(this.#onError)
    for (const deploymentId of displaced)
      await requestInstance(this.#parts, { projectId: disk.project_id, deploymentId }).catch(this.#onError)
  }

  #end(disk: DiskRow, problem: string | null): Promise<void> {
    return this.#parts.store.transact(async (tx, changed) => {
      await endTask(tx, disk, problem)
      const project = await findProjectById(tx, disk.project_id)
      if (project) await changed({ topic: 'project', key: project.name })
    })
  }
}

/** The running instance ends for it. Nothing ends it. */
const maintenanceOf = ({ id }: DiskRow): Turn => ({
  diskId: id,
  deploymentId: '',
  isShared: false,
  isUp: () => false,
  publication: async () => 'published soon',
  yield: async () => undefined,
})

/** Copies a disk to which nothing writes now, and forgets what is more than is kept. */
export async function takeSnapshot(
  { store, clock, disks }: Pick<DiskTaskParts, 'store' | 'clock' | 'disks'>,
  disk: DiskRow,
  reason: DiskSnapshotRow['reason'],
): Promise<void> {
  const free = await disks.freeBytes()
  if (free < Number(disk.used_bytes ?? 0) + reserveBytes)
    throw new Error('there is not enough space for a snapshot on the machine')
  const id = newId('snp')
  const bytes = await disks.snapshot(disk.id, id)
  await insertSnapshot(store.db, { id, disk_id: disk.id, reason, bytes, created_at: clock.now() })
  const rows = await listSnapshots(store.db, disk.id)
  // One that is to be restored stays.
  const surplus = surplusSnapshots(rows, clock.now()).filter(row => row.id !== disk.task)
  await forgetSnapshots(
    store.db,
    surplus.map(row => row.id),
  )
  const kept = rows.filter(row => !surplus.includes(row)).map(row => row.id)
  await disks.keepSnapshots(disk.id, kept)
}

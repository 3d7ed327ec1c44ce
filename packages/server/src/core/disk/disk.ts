// The disk of a project: its settings, and what it holds.
import { type Disk, limits } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import { ownerId, storedBytes } from '../../store/billing/plan-usage.ts'
import {
  changeBranchDisks,
  changeDisk,
  countBranchDisks,
  findDisk,
  insertDisk,
} from '../../store/disk/disks.ts'
import { listEnvRowsOf } from '../../store/env/env.ts'
import { lockAccount } from '../../store/identity/accounts.ts'
import { lockOrg } from '../../store/orgs/orgs.ts'
import { lockProject, type ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Tx } from '../../store/store.ts'
import type { DiskRow } from '../../store/tables.ts'
import { applyToApps } from '../base/app-restarts.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { requireRoom } from '../base/plans.ts'
import type { PlanSettings, Rows } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'

type DiskParts = Rows & PlanSettings

const keptMs = limits.removedDiskDays * dayMs

/** The apps of all places restart. */
const everywhere = [{ environment: 'both', branch: '' }] as const

export async function getDisk(
  { store, clock }: Rows,
  project: ProjectWithOrg,
): Promise<{ disk: Disk | null; removed_until: string | null }> {
  const row = await findDisk(store.db, project.id, '')
  if (!row) return { disk: null, removed_until: null }
  if (row.removed_at === null) return { disk: describeDisk(row), removed_until: null }
  const until = row.removed_at + keptMs
  return { disk: null, removed_until: until > clock.now() ? isoTime(until) : null }
}

export const describeDisk = (row: DiskRow): Disk => ({
  size_bytes: Number(row.size_bytes),
  path: row.path,
  used_bytes: row.used_bytes === null ? null : Number(row.used_bytes),
  measured_at: isoTimeOrNull(row.measured_at),
  is_full: isFull(row),
  problem: row.problem,
  limit: 'measured',
  is_shared: row.is_shared === 1,
  is_copying: row.task !== null,
  preview_data: row.preview_data,
  created_at: isoTime(row.created_at),
})

/** Its app does not run. */
export const isFull = ({ used_bytes, size_bytes }: Pick<DiskRow, 'used_bytes' | 'size_bytes'>): boolean =>
  used_bytes !== null && Number(used_bytes) > Number(size_bytes)

export async function setDisk(
  platform: DiskParts,
  caller: Caller,
  project: ProjectWithOrg,
  input: { size_bytes?: number | undefined; path?: string | undefined; shared?: boolean | undefined },
) {
  const { store, clock } = platform
  const now = clock.now()
  return await store.transact(async (tx, changed) => {
    if (project.org_id) await lockOrg(tx, project.org_id)
    else if (project.account_id) await lockAccount(tx, project.account_id)
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const stored = await findDisk(tx, project.id, '')
    const row = { ...(stored ?? newDisk(project, now)), removed_at: null }
    row.size_bytes = input.size_bytes ?? Number(row.size_bytes)
    row.path = input.path ?? row.path
    if (input.shared !== undefined) row.is_shared = input.shared ? 1 : 0
    const wasKept = stored != null && stored.removed_at !== null
    await requireRoomFor(platform, tx, project, row, stored)
    if (stored) {
      const { size_bytes, path, is_shared } = row
      await changeDisk(tx, row.id, { size_bytes, path, is_shared, removed_at: null })
      await changeBranchDisks(tx, project.id, { size_bytes, path, is_shared })
    } else await insertDisk(tx, row)
    const details = { size: String(row.size_bytes), path: row.path, shared: row.is_shared ? 'yes' : 'no' }
    await audit(platform, tx, caller, { action: 'disk.set', project, details })
    const restarting = await applyToApps(tx, changed, project, everywhere)
    return {
      disk: describeDisk(row),
      was_kept: wasKept,
      warnings: await warningsOf(tx, project),
      ...(restarting !== undefined && { restarting }),
    }
  })
}

const newDisk = (project: ProjectWithOrg, now: number): DiskRow => ({
  id: newId('dsk'),
  project_id: project.id,
  branch: '',
  node_id: '',
  size_bytes: limits.diskBytes.default,
  path: '/data',
  is_shared: 0,
  used_bytes: null,
  measured_at: null,
  problem: null,
  task: null,
  preview_data: 'empty',
  awaits_copy: 0,
  seeded_at: null,
  created_at: now,
  removed_at: null,
})

/** A disk counts with what it may hold. Those of branches grow with it. */
async function requireRoomFor(
  platform: PlanSettings,
  tx: Tx,
  project: ProjectWithOrg,
  row: DiskRow,
  stored: DiskRow | undefined,
): Promise<void> {
  const before = stored && stored.removed_at === null ? Number(stored.size_bytes) : 0
  const ofEachBranch = row.size_bytes - Number(stored?.size_bytes ?? row.size_bytes)
  const more = row.size_bytes - before + ofEachBranch * (await countBranchDisks(tx, project.id))
  if (more <= 0) return
  const have = () => storedBytes(tx, project)
  await requireRoom(platform, tx, ownerId(project), 'storedBytes', have, more)
}

async function warningsOf(tx: Tx, project: ProjectWithOrg): Promise<string[]> {
  if ((await listEnvRowsOf(tx, project.id, 'SVC_DISK')).length === 0) return []
  return [
    'The project has a variable SVC_DISK of its own, which the app gets instead of the path of the disk. Remove it with: svc env rm SVC_DISK',
  ]
}

/** The app restarts without it. Its files stay for some days, and come back if a disk is added. */
export async function removeDisk(
  platform: Rows,
  caller: Caller,
  project: ProjectWithOrg,
  confirm: string,
): Promise<{ removed_until: string; restarting?: boolean }> {
  if (confirm !== project.name)
    throw new Fault('invalid_request', `confirm: must be the name of the project, ${project.name}`)
  const now = platform.clock.now()
  return await platform.store.transact(async (tx, changed) => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const row = await findDisk(tx, project.id, '')
    if (!row || row.removed_at !== null) throw new Fault('not_found', 'The project has no disk.')
    await changeDisk(tx, row.id, { removed_at: now })
    await audit(platform, tx, caller, { action: 'disk.delete', project })
    const restarting = await applyToApps(tx, changed, project, everywhere)
    return { removed_until: isoTime(now + keptMs), ...(restarting !== undefined && { restarting }) }
  })
}

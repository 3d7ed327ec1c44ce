// Previews without a disk of their own, and disks that could not begin with what an admin wants.
import { findDisk } from '../../store/disk/disks.ts'
import { listSnapshots } from '../../store/disk/snapshots.ts'
import type { Db } from '../../store/store.ts'
import type { DeploymentRow } from '../../store/tables.ts'
import { branchesAtMost } from '../disk/places.ts'

type Preview = Pick<DeploymentRow, 'project_id' | 'git_branch' | 'from_fork'>

/** The warning, for an app that has started. `undefined` if there is nothing to warn of. */
export async function whatDiskLacks(
  db: Db,
  { project_id: projectId, git_branch: branch, from_fork }: Preview,
): Promise<string | undefined> {
  if (branch === null || from_fork === 1) return undefined
  const production = await findDisk(db, projectId, '')
  if (!production || production.removed_at !== null) return undefined
  if (!(await findDisk(db, projectId, branch))) return noDisk
  if (production.preview_data !== 'copy') return undefined
  return (await listSnapshots(db, production.id)).length > 0 ? undefined : emptyDisk
}

const noDisk = `This preview has no disk: ${branchesAtMost} branches of the project have one already, or there is no room for it in the plan. Delete a branch, wait an hour, and deploy again.`

const emptyDisk =
  "The disk of production has no snapshot to copy, so the disks of new previews begin empty. 'svc disk snapshot' makes one."

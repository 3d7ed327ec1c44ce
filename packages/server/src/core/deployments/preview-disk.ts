// Disks of previews that could not begin with what an admin wants them to begin with.
import { findDisk } from '../../store/disk/disks.ts'
import { listSnapshots } from '../../store/disk/snapshots.ts'
import type { Db } from '../../store/store.ts'
import type { DeploymentRow } from '../../store/tables.ts'

type Preview = Pick<DeploymentRow, 'project_id' | 'git_branch' | 'from_fork'>

/** The warning, for an app that has started. `undefined` if there is nothing to warn of. */
export async function whyEmptyDisk(
  db: Db,
  { project_id: projectId, git_branch: branch, from_fork }: Preview,
): Promise<string | undefined> {
  if (branch === null || from_fork === 1) return undefined
  const production = await findDisk(db, projectId, '')
  if (production?.preview_data !== 'copy' || production.removed_at !== null) return undefined
  return (await listSnapshots(db, production.id)).length > 0 ? undefined : emptyDisk
}

const emptyDisk =
  "The disk of production has no snapshot to copy, so the disks of new previews begin empty. 'svc disk snapshot' makes one."

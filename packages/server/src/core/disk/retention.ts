// When the disks that nobody needs any more are deleted.
import { limits } from '@svc/contract'
import { dayMs, hourMs } from '@svc/contract/durations'
import { discardDisks, findDisk, listUnneeded } from '../../store/disk/disks.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Store } from '../../store/store.ts'

const keptMs = limits.removedDiskDays * dayMs

/** Discards the disks of a node whose time after their removal is over, and those of branches that have no deployment. */
export async function discardUnneeded(store: Store, nodeId: string, now: number): Promise<void> {
  const { rows } = await listUnneeded(store.db, nodeId, now - keptMs, now - hourMs)
  for (const { project_id: projectId, branch } of rows)
    await store.transact(async tx => {
      // It may have been added again meanwhile, for which the project is locked, too.
      await lockProject(tx, projectId)
      const disk = await findDisk(tx, projectId, branch)
      if (!disk || (branch === '' && (disk.removed_at ?? now) >= now - keptMs)) return
      await discardDisks(tx, branch === '' ? { projectId } : { projectId, branch }, now)
    })
}

// The disks of previews, which begin empty or with the newest snapshot of production's.
import type { Disk, PreviewDisk } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { changeDisk, findDisk, listBranchDisks } from '../../store/disk/disks.ts'
import { lockProject, type ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Db } from '../../store/store.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { describeDisk } from './disk.ts'

export async function previewDisksOf(db: Db, projectId: string): Promise<PreviewDisk[]> {
  return (await listBranchDisks(db, projectId)).map(({ branch, used_bytes, created_at }) => ({
    branch,
    used_bytes: used_bytes === null ? null : Number(used_bytes),
    created_at: isoTime(created_at),
  }))
}

/** It counts for disks that are made from now on. */
export async function setPreviewDisks(
  platform: Rows,
  caller: Caller,
  project: ProjectWithOrg,
  { preview_data }: Pick<Disk, 'preview_data'>,
): Promise<{ disk: Disk }> {
  return await platform.store.transact(async tx => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const row = await findDisk(tx, project.id, '')
    if (!row || row.removed_at !== null)
      throw new Fault('not_found', "The project has no disk. 'svc disk add' gives it one.")
    await changeDisk(tx, row.id, { preview_data })
    if (row.preview_data !== preview_data)
      await audit(platform, tx, caller, { action: 'disk.previews', project, details: { preview_data } })
    return { disk: describeDisk({ ...row, preview_data }) }
  })
}

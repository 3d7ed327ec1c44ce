// Fills the new disk of a preview with the newest snapshot of production's, before an app sees it. Both are on one machine.
import type { AppDisks } from '../ports/app-disks/port.ts'
import { AppDidNotStart } from '../ports/app-runtime/port.ts'
import { changeDisk, findDisk } from '../store/disk/disks.ts'
import { listSnapshots } from '../store/disk/snapshots.ts'
import type { Store } from '../store/store.ts'
import type { DiskRow } from '../store/tables.ts'
import { reserveBytes } from './disk-tasks.ts'
import { notes } from './notes.ts'

/** Does nothing for a disk that waits for no copy. Without a snapshot to copy it begins empty, as a warning of the deployment says. */
export async function fillWithCopy(
  { store, disks }: { store: Store; disks: AppDisks },
  disk: DiskRow,
): Promise<void> {
  if (disk.awaits_copy === 0) return
  const from = await findDisk(store.db, disk.project_id, '')
  // An admin may have changed their mind after a copy had failed.
  const newest = from?.preview_data === 'copy' && (await listSnapshots(store.db, from.id))[0]
  if (from && newest) {
    if ((await disks.freeBytes()) < Number(newest.bytes) + reserveBytes)
      throw notCopied('the machine has too little space')
    await disks.copy(disk.id, { id: from.id, snapshotId: newest.id }).catch(error => {
      throw notCopied((error as Error).message)
    })
  }
  await changeDisk(store.db, disk.id, { awaits_copy: 0 })
}

const notCopied = (why: string) => new AppDidNotStart('cannot run', notes.notCopied(why))

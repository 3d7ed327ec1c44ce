// Lets one process at a time write to a repository. A process that dies loses its claim after some minutes.
import { randomBytes } from 'node:crypto'
import { minuteMs } from '@svc/contract/durations'
import { Fault } from '../../../lib/fault.ts'
import { claimBackup, holdBackup, releaseBackup } from '../../../store/platform/backups.ts'
import type { Store } from '../../../store/store.ts'

const heldMs = 5 * minuteMs

interface Place {
  place: string
  /** No other process of this node makes a backup: that has locked the data directory. */
  nodeId: string
}

/** `requireHeld` throws if another process has taken over meanwhile. */
export async function holding<T>(
  { db }: Pick<Store, 'db'>,
  { place, nodeId }: Place,
  work: (requireHeld: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const held = { place, holder: `${nodeId} ${randomBytes(8).toString('hex')}` }
  const now = Date.now()
  if (!(await claimBackup(db, { ...held, ended: `${nodeId} `, now, until: now + heldMs })))
    throw new Fault('run_under_way', 'Another node is making a backup. Try again when it is done.')
  const hold = () => holdBackup(db, held, Date.now() + heldMs)
  // If the database does not answer for a moment, the next call or `requireHeld` makes up for it.
  const timer = setInterval(() => void hold().catch(() => undefined), minuteMs)
  try {
    return await work(async () => {
      if (!(await hold()))
        throw new Fault('unavailable', 'Another node has begun a backup meanwhile, so this one was given up.')
    })
  } finally {
    clearInterval(timer)
    await releaseBackup(db, held)
  }
}

// Repairs at start what a crash left: interrupted uploads and half-written files. The scrub deletes files without a record.

import { randomUUID } from 'node:crypto'
import { StorageFailure } from '../../ports/packs/port.ts'
import { platformId } from '../../store/platform/platform-id.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { endInterrupted } from '../deployments/failures.ts'

const notOurs =
  'The storage belongs to another platform (or this database is not the one it began with), so nothing in it is removed.'

interface Recovered {
  interrupted: number
  /** Why files without a record are not removed. */
  leftAlone?: string
}

export async function recover(platform: Rows & Pick<Platform, 'nodeId' | 'packs'>): Promise<Recovered> {
  const interrupted = await endInterrupted(
    platform,
    { nodeId: platform.nodeId },
    'The platform stopped during the upload. Deploy again.',
  )
  try {
    await platform.packs.discardUnfinished()
    return (await ownsStorage(platform)) ? { interrupted } : { interrupted, leftAlone: notOurs }
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error
    return { interrupted, leftAlone: error.message }
  }
}

/**
 * With another database than the one whose deployments are stored there, every one of them would look like an orphan.
 */
export async function ownsStorage({ store, packs }: Pick<Platform, 'packs' | 'store'>): Promise<boolean> {
  const id = await platformId(store.db, randomUUID)
  return (await packs.claim(id)) === id
}

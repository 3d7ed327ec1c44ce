// Repairs at start what a crash left: interrupted uploads, half-written files and files without a record.

import { randomUUID } from 'node:crypto'
import { inBatches } from '../../lib/in-batches.ts'
import { StorageFailure } from '../../ports/packs/port.ts'
import { storedAmong } from '../../store/deployments/stored.ts'
import { platformId } from '../../store/platform/platform-id.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { endInterrupted } from '../deployments/failures.ts'

const batch = 500
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
 * Deletes the files of deployments whose records are deleted, as a crash between the two leaves them. Uploads may go on meanwhile: they
 * have a record before they have a file. Returns how many there were.
 */
export async function removeOrphans(
  platform: Pick<Platform, 'packs' | 'store'>,
  signal: AbortSignal,
): Promise<number> {
  if (!(await ownsStorage(platform))) return 0
  let orphans = 0
  for await (const ids of inBatches(platform.packs.list(), batch)) {
    signal.throwIfAborted()
    const kept = await storedAmong(platform.store.db, [...new Set(ids.map(deploymentOf))])
    for (const id of ids)
      if (!kept.has(deploymentOf(id))) {
        await platform.packs.delete(id)
        orphans++
      }
  }
  return orphans
}

/** A deployment's variants are `<id>.z`. */
export const deploymentOf = (packId: string): string => packId.split('.')[0] ?? packId

/**
 * With another database than the one whose deployments are stored there, every one of them would look like an orphan.
 */
export async function ownsStorage({ store, packs }: Pick<Platform, 'packs' | 'store'>): Promise<boolean> {
  const id = await platformId(store.db, randomUUID)
  return (await packs.claim(id)) === id
}

// What a start repairs after a crash: uploads that were cut off and files without a record.

import { StorageFailure } from '../ports/packs/port.ts'
import { failInterrupted, storedAmong } from '../store/deployments.ts'
import type { Platform } from './platform.ts'

const batch = 500

export interface Recovered {
  interrupted: number
  orphans: number
  /** The storage that is away keeps its orphans until the next start; serving what is known goes on. */
  storageFailure?: string
}

export async function recover(platform: Platform): Promise<Recovered> {
  const interrupted = await failInterrupted(
    platform.store.db,
    { nodeId: platform.nodeId },
    'The platform stopped during the upload. Deploy again.',
  )
  try {
    await platform.packs.discardUnfinished()
    return { interrupted: interrupted.length, orphans: await removeOrphans(platform) }
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error
    return { interrupted: interrupted.length, orphans: 0, storageFailure: error.message }
  }
}

async function removeOrphans(platform: Platform): Promise<number> {
  let orphans = 0
  for await (const ids of batches(platform.packs.list())) {
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
const deploymentOf = (packId: string): string => packId.split('.')[0] ?? packId

async function* batches(ids: AsyncIterable<string>): AsyncIterable<string[]> {
  let some: string[] = []
  for await (const id of ids) {
    some.push(id)
    if (some.length < batch) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}

// What a start repairs after a crash: uploads that were cut off and files without a record.
import { failInterrupted, storedAmong } from '../store/deployments.ts'
import type { Platform } from './platform.ts'

const batch = 500

export async function recover(platform: Platform): Promise<{ interrupted: number; orphans: number }> {
  const interrupted = await failInterrupted(
    platform.store.db,
    { nodeId: platform.nodeId },
    'The platform stopped during the upload. Deploy again.',
  )
  await platform.packs.discardUnfinished()
  let orphans = 0
  for await (const ids of batches(platform.packs.list())) {
    const kept = await storedAmong(platform.store.db, [...new Set(ids.map(deploymentOf))])
    for (const id of ids)
      if (!kept.has(deploymentOf(id))) {
        await platform.packs.delete(id)
        orphans++
      }
  }
  return { interrupted: interrupted.length, orphans }
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

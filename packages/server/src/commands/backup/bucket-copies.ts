// Copies the deployments of an S3 bucket into a backup, in step with the snapshot of the database.
import { Fault } from '../../lib/fault.ts'
import type { Packs } from '../../ports/packs/port.ts'
import { packFile } from './format.ts'
import type { ArchiveWriter } from './write-archive.ts'

const roundsAtMost = 10

/**
 * Objects cannot be linked, and to copy them takes long, while deployments come and go. So the snapshot is taken after most are
 * copied, and then what is new is copied. A deployment that was deleted before it could be copied needs a newer snapshot, which
 * no longer has it. Deployments that a newer snapshot still has are missing in the bucket: returns their ids.
 */
export async function copyBucket(
  packs: Packs,
  archive: ArchiveWriter,
  takeSnapshot: () => Promise<string[]>,
): Promise<string[]> {
  const copied = new Set<string>()
  let missing = new Set<string>()
  await copyNew(packs, archive, copied)
  for (let round = 0; round < roundsAtMost; round++) {
    const needed = await takeSnapshot()
    await copyNew(packs, archive, copied)
    const left = needed.filter(id => !copied.has(id))
    if (left.every(id => missing.has(id))) return left
    missing = new Set(left)
  }
  throw new Fault('unavailable', 'Deployments are deleted faster than they can be copied. Try again later.')
}

async function copyNew(packs: Packs, archive: ArchiveWriter, copied: Set<string>): Promise<void> {
  for await (const id of packs.list()) if (!copied.has(id) && (await copy(packs, archive, id))) copied.add(id)
}

/** Returns false if the pack was deleted meanwhile. */
async function copy(packs: Packs, archive: ArchiveWriter, id: string): Promise<boolean> {
  const source = await packs.open(id)
  if (source === undefined) return false
  try {
    await archive.add(packFile(id), source.size, source.stream(0, source.size))
    return true
  } catch (error) {
    if (await isGone(packs, id)) return false
    throw error
  } finally {
    await source.close()
  }
}

async function isGone(packs: Packs, id: string): Promise<boolean> {
  const source = await packs.open(id)
  await source?.close()
  return source === undefined
}

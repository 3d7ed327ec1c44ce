// Copies the deployments of an S3 bucket into a backup, in step with the snapshot of the database.
import { Fault } from '../../lib/fault.ts'
import type { Packs } from '../../ports/packs/port.ts'
import { whileChecking } from '../../ports/packs/verify.ts'
import { packFile } from './format.ts'
import type { ArchiveWriter } from './write-archive.ts'

const roundsAtMost = 10

interface Bucket {
  packs: Packs
  archive: ArchiveWriter
  /** Gets the packs that are damaged in the bucket, with words about that. */
  damaged: Map<string, string>
}

/**
 * Objects cannot be linked, and to copy them takes long, while deployments come and go. So the snapshot is taken after most are
 * copied, and then what is new is copied. A deployment that was deleted before it could be copied needs a newer snapshot, which
 * no longer has it. Deployments that a newer snapshot still has are missing in the bucket: returns their ids.
 */
export async function copyBucket(bucket: Bucket, takeSnapshot: () => Promise<string[]>): Promise<string[]> {
  const copied = new Set<string>()
  let missing = new Set<string>()
  await copyNew(bucket, copied)
  for (let round = 0; round < roundsAtMost; round++) {
    const needed = await takeSnapshot()
    await copyNew(bucket, copied)
    const left = needed.filter(id => !copied.has(id))
    if (left.every(id => missing.has(id))) return left
    missing = new Set(left)
  }
  throw new Fault('unavailable', 'Deployments are deleted faster than they can be copied. Try again later.')
}

async function copyNew(bucket: Bucket, copied: Set<string>): Promise<void> {
  for await (const id of bucket.packs.list()) if (!copied.has(id) && (await copy(bucket, id))) copied.add(id)
}

/** Returns false if the pack was deleted meanwhile. */
async function copy({ packs, archive, damaged }: Bucket, id: string): Promise<boolean> {
  const source = await packs.open(id)
  if (source === undefined) return false
  try {
    const note = (damage: string) => damaged.set(id, damage)
    const content = whileChecking(source, { onFiles: note, onIndex: note })
    await archive.add(packFile(id), source.size, content)
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

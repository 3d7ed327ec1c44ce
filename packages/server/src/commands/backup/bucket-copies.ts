// Copies the deployments of an S3 bucket into a backup, in step with the snapshot of the database.
import { Fault } from '../../lib/fault.ts'
import type { Packs } from '../../ports/packs/port.ts'
import { whileChecking } from '../../ports/packs/verify.ts'

const roundsAtMost = 10

interface Bucket {
  packs: Packs
  /** Returns false if the pack was deleted meanwhile. */
  copy(id: string): Promise<boolean>
  /** How many are copied at a time. */
  atOnce: number
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

const copyNew = ({ packs, copy, atOnce }: Bucket, copied: Set<string>): Promise<void> =>
  copyEach(packs.list(), atOnce, async id => {
    if (!copied.has(id) && (await copy(id))) copied.add(id)
  })

/** Begins no other copy after one has failed. */
export async function copyEach(
  ids: AsyncIterable<string>,
  atOnce: number,
  copy: (id: string) => Promise<void>,
): Promise<void> {
  const left = ids[Symbol.asyncIterator]()
  let isFailed = false
  const copyOneByOne = async () => {
    while (!isFailed) {
      const { done, value } = await left.next()
      if (done) return
      await copy(value).catch(error => {
        isFailed = true
        throw error
      })
    }
  }
  const copiers = Array.from({ length: atOnce }, copyOneByOne)
  await Promise.allSettled(copiers)
  await Promise.all(copiers)
}

interface Source {
  packs: Packs
  /** Gets the packs that are damaged, with words about that. */
  damaged: Map<string, string>
}

/** Passes the pack to `add`, and compares its files on the way. Returns false if the pack was deleted meanwhile. */
export async function copyPack(
  { packs, damaged }: Source,
  id: string,
  add: (size: number, content: () => AsyncIterable<Buffer>) => Promise<void>,
): Promise<boolean> {
  const source = await packs.open(id)
  if (source === undefined) return false
  try {
    const note = (damage: string) => damaged.set(id, damage)
    await add(source.size, () => whileChecking(source, { onFiles: note, onIndex: note }))
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

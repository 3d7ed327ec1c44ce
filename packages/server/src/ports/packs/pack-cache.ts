// Copies of packs on the local disk, up to a limit. The least recently used ones are removed.
import { readdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskPacks } from './disk.ts'
import { DamagedPack } from './pack-index.ts'
import type { PackSource } from './port.ts'
import { whileChecking } from './verify.ts'

const suffix = '.pack'
/** When there is too much, copies are removed until this part of the space is used. */
const usedAfterRemoval = 7 / 8
/** As many processes and threads may fill the free space at the same time without looking. */
const fillers = 8

/** Several threads and processes may share the directory, so all state is in its files. */
export class PackCache {
  readonly #dir: string
  readonly #maxBytes: number
  readonly #disk: DiskPacks
  /** Bytes that can be added before the copies have to be counted again. */
  #unclaimed = 0

  constructor(dir: string, maxBytes: number) {
    this.#dir = dir
    this.#maxBytes = maxBytes
    this.#disk = new DiskPacks(dir)
  }

  async open(id: string): Promise<PackSource | undefined> {
    const source = await this.#disk.open(id)
    const now = new Date()
    // The modification time records the last use. The file may be gone by now, which does no harm.
    if (source !== undefined) await utimes(join(this.#dir, id + suffix), now, now).catch(() => undefined)
    return source
  }

  /** A pack that would take more than half of the space is not copied. */
  takes(size: number): boolean {
    return size <= this.#maxBytes / 2
  }

  /**
   * Copies the pack, unless there is a copy. A copy is complete and durable once it is visible. A pack with a file
   * that is damaged at its origin is not copied.
   */
  async fill(id: string, origin: PackSource, signal: AbortSignal): Promise<void> {
    const present = await this.#disk.open(id)
    if (present !== undefined) return present.close()
    await this.#makeRoom(origin.size)
    const sink = await this.#disk.create(id)
    try {
      let bytes = 0
      const onFiles = (damage: string) => {
        throw new DamagedPack(damage)
      }
      for await (const chunk of whileChecking(origin, { onFiles })) {
        signal.throwIfAborted()
        await sink.write(chunk)
        bytes += chunk.length
      }
      if (bytes !== origin.size) throw new Error(`The copy of ${id} has ${bytes} bytes, not ${origin.size}`)
      await sink.commit()
    } catch (error) {
      await sink.abort()
      // Another thread has already written the same bytes.
      const theirs = await this.#disk.open(id)
      if (theirs === undefined) throw error
      await theirs.close()
    }
  }

  delete(id: string): Promise<void> {
    return this.#disk.delete(id)
  }

  discardUnfinished(): Promise<void> {
    return this.#disk.discardUnfinished()
  }

  check(): Promise<void> {
    return this.#disk.check()
  }

  /** Looks at all copies only when this process has used up its part of the free space. */
  async #makeRoom(bytes: number): Promise<void> {
    this.#unclaimed -= bytes
    if (this.#unclaimed >= 0) return
    const copies = await this.#copies()
    let total = copies.reduce((sum, copy) => sum + copy.size, bytes)
    if (total > this.#maxBytes) {
      copies.sort((a, b) => a.used - b.used)
      for (const copy of copies) {
        if (total <= this.#maxBytes * usedAfterRemoval) break
        await this.#disk.delete(copy.id)
        total -= copy.size
      }
    }
    this.#unclaimed = (this.#maxBytes - total) / fillers
  }

  async #copies(): Promise<{ id: string; size: number; used: number }[]> {
    const copies = []
    const names = await readdir(this.#dir).catch(() => []) // not there before the first copy
    for (const name of names) {
      const facts = await stat(join(this.#dir, name)).catch(() => undefined) // removed meanwhile
      if (facts !== undefined && name.endsWith(suffix))
        copies.push({ id: name.slice(0, -suffix.length), size: facts.size, used: facts.mtimeMs })
    }
    return copies
  }
}

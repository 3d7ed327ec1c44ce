// Packs of a remote store, with copies on the local disk. A pack is read remotely until its copy is complete.
import type { Readable } from 'node:stream'
import { FairQueue } from '../../lib/fair-queue.ts'
import type { PackCache } from './pack-cache.ts'
import { checkPackId, type PackSink, type PackSource, type Packs } from './port.ts'

const fillsAtOnce = 2

interface CachedOptions {
  /** Whether `open` waits for the copy. Useful for readers that read the whole pack. */
  copyFirst: boolean
  /** Called when a copy fails. Reading then stays remote. */
  onError: (error: unknown) => void
}

export class CachedPacks implements Packs {
  readonly #origin: Packs
  readonly #cache: PackCache
  readonly #options: CachedOptions
  readonly #filling = new Map<string, Promise<void>>()
  readonly #turns = new FairQueue(fillsAtOnce, Number.POSITIVE_INFINITY)
  readonly #closing = new AbortController()

  constructor(origin: Packs, cache: PackCache, options: CachedOptions) {
    this.#origin = origin
    this.#cache = cache
    this.#options = options
  }

  create(id: string): Promise<PackSink> {
    return this.#origin.create(id)
  }

  async open(id: string): Promise<PackSource | undefined> {
    checkPackId(id)
    const copy = await this.#cache.open(id)
    if (copy !== undefined) return copy
    const origin = await this.#origin.open(id)
    if (origin === undefined || !this.#cache.takes(origin.size)) return origin
    const filled = this.#fill(id, origin)
    if (!this.#options.copyFirst) return new SwitchingSource(origin, () => this.#copyAfter(filled, id))
    return (await this.#copyAfter(filled, id)) ?? origin
  }

  async delete(id: string): Promise<void> {
    await this.#origin.delete(id)
    await this.#filling.get(id)
    await this.#cache.delete(id)
  }

  /** The next `open` reads the origin, and copies it again. */
  async distrust(id: string): Promise<boolean> {
    await this.#filling.get(id)
    await this.#cache.delete(id)
    return true
  }

  list(): AsyncIterable<string> {
    return this.#origin.list()
  }

  claim(owner: string): Promise<string> {
    return this.#origin.claim(owner)
  }

  disclaim(owner: string): Promise<void> {
    return this.#origin.disclaim(owner)
  }

  async discardUnfinished(): Promise<void> {
    await this.#cache.discardUnfinished()
    await this.#origin.discardUnfinished()
  }

  async check(): Promise<void> {
    await this.#cache.check()
    await this.#origin.check()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#filling.values())
    await this.#origin.close()
  }

  /** Concurrent calls share one copy. Never rejects. */
  #fill(id: string, origin: PackSource): Promise<void> {
    const underWay = this.#filling.get(id)
    if (underWay !== undefined) return underWay
    const { signal } = this.#closing
    const filling = this.#turns
      .run(async () => {
        if (!signal.aborted) await this.#cache.fill(id, origin, signal)
      })
      .catch(error => {
        if (!signal.aborted) this.#options.onError(error)
      })
      .finally(() => this.#filling.delete(id))
    this.#filling.set(id, filling)
    return filling
  }

  async #copyAfter(filled: Promise<void>, id: string): Promise<PackSource | undefined> {
    await filled
    return this.#cache.open(id).catch(error => {
      this.#options.onError(error)
      return undefined
    })
  }
}

/** Reads from the origin until the copy can be read. */
class SwitchingSource implements PackSource {
  readonly size: number
  #current: PackSource
  #closed = false

  constructor(origin: PackSource, copy: () => Promise<PackSource | undefined>) {
    this.size = origin.size
    this.#current = origin
    void copy().then(copy => this.#switch(copy))
  }

  read(offset: number, length: number): Promise<Buffer> {
    return this.#current.read(offset, length)
  }

  stream(offset: number, length: number): Readable {
    return this.#current.stream(offset, length)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#current.close()
  }

  /** Reads in progress on the origin still finish. */
  async #switch(copy: PackSource | undefined): Promise<void> {
    if (copy === undefined) return
    if (this.#closed) return copy.close()
    const origin = this.#current
    this.#current = copy
    await origin.close()
  }
}

// Keeps packs open for reading, and lets requests share them. If there are too many, the least recently used packs are
// evicted. An evicted pack is closed as soon as no request reads it.
import { PackReader } from '../ports/packs/pack-reader.ts'
import type { Packs } from '../ports/packs/port.ts'

/** A pack that stays open until `release` is called. */
export interface OpenPackHandle {
  readonly reader: PackReader
  release(): void
}

interface OpenPack {
  reader: PackReader
  users: number
  evicted: boolean
}

interface OpenPacksLimits {
  /** Memory for the indexes of open packs. Evicted packs that are still being read do not count. */
  indexBytes: number
  /** How many packs may be open, since an open pack may hold a file descriptor. Evicted packs do not count. */
  count: number
}

export class OpenPacks {
  readonly #packs: Packs
  readonly #limits: OpenPacksLimits
  readonly #onError: (error: unknown) => void
  /** The open packs by id. The least recently used pack comes first. */
  readonly #open = new Map<string, OpenPack>()
  readonly #opening = new Map<string, Promise<OpenPack | undefined>>()
  #indexBytes = 0

  constructor(packs: Packs, limits: OpenPacksLimits, onError: (error: unknown) => void) {
    this.#packs = packs
    this.#limits = limits
    this.#onError = onError
  }

  /** Opens a pack, or shares it if it is already open. Returns `undefined` if there is no such pack. */
  async acquire(id: string): Promise<OpenPackHandle | undefined> {
    for (;;) {
      const pack = this.#touch(id) ?? (await this.#opened(id))
      if (pack === undefined) return undefined
      // A pack may be evicted and closed before the wait for it ends. Then it is opened again.
      if (!pack.evicted) return this.#lease(pack)
    }
  }

  /** Returns the index of a pack if the pack is already open. To read the files of a pack, call `acquire`. */
  peek(id: string): Pick<PackReader, 'find'> | undefined {
    return this.#open.get(id)?.reader
  }

  /** The number of open packs. Evicted packs that are still being read do not count. */
  get size(): number {
    return this.#open.size
  }

  close(): void {
    for (const id of [...this.#open.keys()]) this.#evict(id)
  }

  #lease(pack: OpenPack): OpenPackHandle {
    pack.users++
    let held = true
    return {
      reader: pack.reader,
      release: () => {
        if (!held) return
        held = false
        pack.users--
        this.#closeUnused(pack)
      },
    }
  }

  #touch(id: string): OpenPack | undefined {
    const pack = this.#open.get(id)
    if (pack === undefined) return undefined
    this.#open.delete(id)
    this.#open.set(id, pack)
    return pack
  }

  #opened(id: string): Promise<OpenPack | undefined> {
    const underWay = this.#opening.get(id)
    if (underWay !== undefined) return underWay
    const opening = this.#openPack(id).finally(() => this.#opening.delete(id))
    this.#opening.set(id, opening)
    return opening
  }

  async #openPack(id: string): Promise<OpenPack | undefined> {
    const reader = await PackReader.open(this.#packs, id)
    if (reader === undefined) return undefined
    const pack = { reader, users: 0, evicted: false }
    this.#indexBytes += reader.indexBytes
    this.#open.set(id, pack)
    this.#evictSurplus(id)
    return pack
  }

  #evictSurplus(newest: string): void {
    for (const id of this.#open.keys()) {
      const fits = this.#indexBytes <= this.#limits.indexBytes && this.#open.size <= this.#limits.count
      if (fits || id === newest) return
      this.#evict(id)
    }
  }

  #evict(id: string): void {
    const pack = this.#open.get(id)!
    this.#open.delete(id)
    this.#indexBytes -= pack.reader.indexBytes
    pack.evicted = true
    this.#closeUnused(pack)
  }

  #closeUnused(pack: OpenPack): void {
    if (pack.evicted && pack.users === 0) pack.reader.close().catch(this.#onError)
  }
}

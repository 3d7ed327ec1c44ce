// A read-through cache for rows of the database. Concurrent requests for a row share one read. While the database does not answer,
// stale entries are used, and copies on the disk for what is not in memory.

import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Clock } from '../lib/clock.ts'

interface Slot<V> {
  readonly weight: number
  readonly value: V
  /** Whether the row may have changed since it was read. A stale value is used only if the database does not answer. */
  stale: boolean
  /** Set after a failed read. Until then `peek` returns the stale value, so that visitors do not wait for the database. */
  retryAt: number
}

const retryAfter = 1_000

interface CacheOptions<V> {
  /** Limits the total weight of the entries. */
  budget: number
  /** Default: 1 for each entry. */
  weigh?: (value: V) => number
  /** Reads the copy of an entry that is not in memory, while the database does not answer. */
  recall?: ((key: string) => Promise<V>) | undefined
}

export class ReadThroughCache<V extends object> {
  readonly #read: (key: string) => Promise<V>
  readonly #clock: Clock
  readonly #weigh: (value: V) => number
  readonly #slots: BoundedCache<Slot<V>>
  readonly #loads = new Map<string, Promise<V>>()
  readonly #recall: ((key: string) => Promise<V>) | undefined

  constructor(read: (key: string) => Promise<V>, clock: Clock, options: CacheOptions<V>) {
    const { budget, weigh = () => 1, recall } = options
    this.#read = read
    this.#clock = clock
    this.#weigh = weigh
    this.#recall = recall
    this.#slots = new BoundedCache(budget)
  }

  /** Returns the cached value, or `undefined` if `find` must read the database. */
  peek(key: string): V | undefined {
    const slot = this.#slots.get(key)
    if (slot === undefined || (slot.stale && this.#clock.now() >= slot.retryAt)) return undefined
    return slot.value
  }

  async find(key: string): Promise<V> {
    const slot = this.#slots.get(key)
    if (slot !== undefined && !slot.stale) return slot.value
    try {
      return await this.#load(key)
    } catch (error) {
      // A change may have dropped the entry meanwhile.
      const known = this.#slots.get(key) ?? (await this.#recalled(key))
      if (known === undefined) throw error
      known.retryAt = this.#clock.now() + retryAfter
      return known.value
    }
  }

  /** Marks the entry stale. Later calls of `find` start a new read, because a read under way may not see the change. */
  forget(key: string): void {
    this.#loads.delete(key)
    const slot = this.#slots.get(key)
    if (slot !== undefined) age(slot)
  }

  forgetEverything(): void {
    this.#loads.clear()
    for (const slot of this.#slots.values()) age(slot)
  }

  /** The row is known to have changed: its old value is not used any more, whether the database answers or not. */
  drop(key: string): void {
    this.#loads.delete(key)
    this.#slots.delete(key)
  }

  dropEverything(): void {
    this.#loads.clear()
    for (const key of this.#slots.keys()) this.#slots.delete(key)
  }

  keys(): Iterable<string> {
    return this.#slots.keys()
  }

  /** The value that was kept on the disk. It is stale: the database is asked again. */
  async #recalled(key: string): Promise<Slot<V> | undefined> {
    // There is no copy either. The error of the database says what is wrong.
    const value = await this.#recall?.(key).catch(() => undefined)
    const later = this.#slots.get(key)
    if (value === undefined || later !== undefined) return later
    const slot = { weight: this.#weigh(value), value, stale: true, retryAt: 0 }
    this.#slots.set(key, slot)
    return slot
  }

  #load(key: string): Promise<V> {
    const underWay = this.#loads.get(key)
    if (underWay !== undefined) return underWay
    const load = this.#read(key).then(
      value => {
        if (this.#loads.get(key) === load) {
          this.#loads.delete(key)
          this.#slots.set(key, { weight: this.#weigh(value), value, stale: false, retryAt: 0 })
        }
        return value
      },
      error => {
        if (this.#loads.get(key) === load) this.#loads.delete(key)
        throw error
      },
    )
    this.#loads.set(key, load)
    return load
  }
}

function age(slot: Slot<unknown>): void {
  slot.stale = true
  slot.retryAt = 0
}

// A read-through cache for rows of the database. Concurrent requests share one read, changes mark entries stale, and stale
// entries are served while the database does not answer.

import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Clock } from '../lib/clock.ts'

interface Slot<V> {
  readonly weight: number
  readonly value: V
  /** The row changed since. The value is used only if the database does not answer. */
  stale: boolean
  /** After a failed read the stale value is served until this time, so that visitors do not wait for the database. */
  retryAt: number
}

const retryAfter = 1_000

export class ReadThroughCache<V extends object> {
  readonly #read: (key: string) => Promise<V>
  readonly #clock: Clock
  readonly #weigh: (value: V) => number
  readonly #slots: BoundedCache<Slot<V>>
  readonly #loads = new Map<string, Promise<V>>()

  /** The entries weigh at most `budget` together. By default each weighs 1. */
  constructor(
    read: (key: string) => Promise<V>,
    clock: Clock,
    budget: number,
    weigh: (value: V) => number = () => 1,
  ) {
    this.#read = read
    this.#clock = clock
    this.#weigh = weigh
    this.#slots = new BoundedCache(budget)
  }

  /** The cached value. `undefined` if `find` must ask the database. */
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
      if (slot === undefined) throw error
      slot.retryAt = this.#clock.now() + retryAfter
      return slot.value
    }
  }

  /** Later requests do not share a read that is under way, because it may have started before the change. */
  forget(key: string): void {
    this.#loads.delete(key)
    const slot = this.#slots.get(key)
    if (slot !== undefined) age(slot)
  }

  forgetEverything(): void {
    this.#loads.clear()
    for (const slot of this.#slots.values()) age(slot)
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

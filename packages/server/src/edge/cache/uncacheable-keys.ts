// The cache keys whose last answer could not be stored. Requests with such a key go to the app at once instead of waiting for
// each other.
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Clock } from '../../lib/clock.ts'

/** How long a key stays among them. */
const uncacheableMs = 10_000
const memoryBytes = 2 * 1024 * 1024

export class UncacheableKeys {
  readonly #clock: Clock
  readonly #keys = new BoundedCache<{ weight: number; until: number }>(memoryBytes)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  has(key: string): boolean {
    return (this.#keys.get(key)?.until ?? 0) > this.#clock.now()
  }

  add(key: string): void {
    this.#keys.set(key, { weight: 128 + key.length, until: this.#clock.now() + uncacheableMs })
  }
}

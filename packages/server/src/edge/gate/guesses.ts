// Counts the wrong passwords in this process by project and network, to stop brute-force guessing.

import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Clock } from '../../lib/clock.ts'

const most = 20
const windowMs = 10 * 60_000
const entriesAtMost = 10_000

interface Count {
  weight: 1
  wrong: number
  until: number
}

export class Guesses {
  readonly #clock: Clock
  readonly #counts = new BoundedCache<Count>(entriesAtMost)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  areTooMany(key: string): boolean {
    return (this.#current(key)?.wrong ?? 0) >= most
  }

  add(key: string): void {
    const count = this.#current(key)
    if (count !== undefined) count.wrong++
    else this.#counts.set(key, { weight: 1, wrong: 1, until: this.#clock.now() + windowMs })
  }

  /** Sets the count to the maximum. Called if all processes together have counted too many wrong passwords. */
  block(key: string): void {
    this.#counts.set(key, { weight: 1, wrong: most, until: this.#clock.now() + windowMs })
  }

  #current(key: string): Count | undefined {
    const count = this.#counts.get(key)
    return count !== undefined && count.until > this.#clock.now() ? count : undefined
  }
}

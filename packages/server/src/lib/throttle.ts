// Slows down work that goes through many bytes, so that it takes little from others.
import { setTimeout as sleep } from 'node:timers/promises'

/** Shorter waits are put together: timers cost more than they gain. */
const shortestWaitMs = 50

export class Throttle {
  readonly #bytesPerMs: number
  readonly #signal: AbortSignal
  #freeAt = 0

  constructor(bytesPerSecond: number, signal: AbortSignal) {
    this.#bytesPerMs = bytesPerSecond / 1000
    this.#signal = signal
  }

  /** Waits until these bytes and all before them are paid for. Rejects when the signal aborts. */
  async spend(bytes: number): Promise<void> {
    this.#signal.throwIfAborted()
    const now = performance.now()
    this.#freeAt = Math.max(this.#freeAt, now) + bytes / this.#bytesPerMs
    if (this.#freeAt - now > shortestWaitMs)
      await sleep(this.#freeAt - now, undefined, { signal: this.#signal, ref: false })
  }
}

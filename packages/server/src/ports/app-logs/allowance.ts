// How much an app may write to its log: a burst, and a rate over time. An app that exceeds it is muted for a quarter of a
// second, so that the missing lines form a few large gaps that the log can mention, not thousands of small ones.

export interface Rate {
  bytesPerSecond: number
  burstBytes: number
}

export class Allowance {
  readonly #rate: Rate
  readonly #now: () => number
  #left: number
  #at: number
  #exhausted = false

  /** `now` is a monotonic clock in milliseconds. */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate
    this.#now = now
    this.#left = rate.burstBytes
    this.#at = now()
  }

  spend(bytes: number): boolean {
    this.#refill()
    const { bytesPerSecond, burstBytes } = this.#rate
    if (this.#exhausted && this.#left < Math.min(bytesPerSecond, burstBytes) / 4) return false
    this.#exhausted = this.#left < bytes
    if (this.#exhausted) return false
    this.#left -= bytes
    return true
  }

  #refill(): void {
    const now = this.#now()
    const gained = ((now - this.#at) / 1000) * this.#rate.bytesPerSecond
    this.#left = Math.min(this.#rate.burstBytes, this.#left + gained)
    this.#at = now
  }
}

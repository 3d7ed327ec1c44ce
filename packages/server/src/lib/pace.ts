// How fast the bytes of one client move, so that the slowest client can make room for those who wait.

export class Pace {
  readonly #windowMs: number
  readonly #now: () => number
  #began: number
  #bytes = 0
  /** Bytes per second in the window before this one. `undefined` in the first window. */
  #before: number | undefined

  constructor(windowMs: number, now: () => number = Date.now) {
    this.#windowMs = windowMs
    this.#now = now
    this.#began = now()
  }

  moved(bytes: number): void {
    this.#roll()
    this.#bytes += bytes
  }

  /** Bytes per second, lately. `undefined` if the client is too new to tell. */
  get rate(): number | undefined {
    this.#roll()
    return this.#before
  }

  #roll(): void {
    const elapsed = this.#now() - this.#began
    if (elapsed < this.#windowMs) return
    this.#before = (this.#bytes * 1000) / elapsed
    this.#began += elapsed
    this.#bytes = 0
  }
}

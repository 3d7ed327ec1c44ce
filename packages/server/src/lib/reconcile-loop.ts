// Compares what is with what should be, and acts: now and then, and whenever something may have changed. One run at a time.

interface ReconcileLoopParts {
  /** One comparison. It finds out by itself what there is to do, so that one run serves any number of wakes. */
  reconcile(): Promise<unknown>
  /** Told of a run that fails; the loop goes on. */
  onError(error: unknown): void
  /** How often it runs if nothing wakes it: changes that were missed are found by it. */
  everyMs: number
}

export class ReconcileLoop {
  readonly #parts: ReconcileLoopParts
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #again = false
  #isStopped = false
  #lastRun = Promise.resolve()

  constructor(parts: ReconcileLoopParts) {
    this.#parts = parts
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** From now on it runs regularly. The first run comes after `everyMs`, or with the first wake. */
  start(): this {
    this.#timer = setInterval(() => this.wake(), this.#parts.everyMs).unref()
    return this
  }

  /** Runs now, or once more after the run under way: that one may have looked too early. */
  wake(): void {
    if (this.#isStopped) return
    this.#again = true
    if (!this.#isRunning) this.#lastRun = this.#run()
  }

  /** No run begins any more; resolves when the one under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    await this.#lastRun
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#again && !this.#isStopped) {
      this.#again = false
      try {
        await this.#parts.reconcile()
      } catch (error) {
        this.#parts.onError(error)
      }
    }
    this.#isRunning = false
  }
}

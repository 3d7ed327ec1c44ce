// Runs a task that compares the actual state with the wanted state and acts on the difference: at an interval, and whenever
// something may have changed. Only one run is in progress at a time.

interface ReconcileLoopParts {
  /** One run. It finds out by itself what to do, so one run is enough for any number of wakes. */
  reconcile(stopping: AbortSignal): Promise<unknown>
  /** Called when a run fails. The loop goes on. */
  onError(error: unknown): void
  /** The interval of runs without a wake. They find changes that were missed. */
  intervalMs: number
}

export class ReconcileLoop {
  readonly #parts: ReconcileLoopParts
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #again = false
  readonly #stopping = new AbortController()
  #lastRun = Promise.resolve()

  constructor(parts: ReconcileLoopParts) {
    this.#parts = parts
  }

  /** Aborts when the loop is stopped. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Starts the interval. The first run comes after `intervalMs`, or with the first wake. */
  start(): this {
    this.#timer = setInterval(() => this.wake(), this.#parts.intervalMs).unref()
    return this
  }

  /** Runs now. If a run is in progress, runs once more after it, since it may have missed the change. */
  wake(): void {
    if (this.isStopped) return
    this.#again = true
    if (!this.#isRunning) this.#lastRun = this.#run()
  }

  /** Starts no further run and aborts the signal. Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#timer)
    await this.#lastRun
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#again && !this.isStopped) {
      this.#again = false
      try {
        await this.#parts.reconcile(this.#stopping.signal)
      } catch (error) {
        this.#parts.onError(error)
      }
    }
    this.#isRunning = false
  }
}

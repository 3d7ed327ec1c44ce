// A worker thread, or a process, for slow work. It starts with the first call, stops when idle, and is replaced when it dies.
import type { Transferable } from 'node:worker_threads'
import { SelfEndingWorker } from '../lib/self-ending-worker.ts'
import { type Callee, WorkerCalls } from '../lib/worker-calls.ts'

interface ThreadOptions {
  /** Starts it: `workerThread`, or a `WorkerProcess`. */
  start(): Callee
  /** How many calls run at a time. Further calls wait. */
  concurrency: number
  /** How long the thread outlives its last call. */
  idleMs?: number
}

interface CallOptions {
  transfer?: Transferable[]
  signal?: AbortSignal
}

interface Waiting<Args, Result> extends CallOptions {
  args: Args
  resolve(result: Result): void
  reject(error: unknown): void
  /** Listens to the signal while the call waits. */
  giveUp(): void
}

/** A small young generation is collected often, which keeps the thread's memory small. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 }

/** `entry` is a compiled module that calls `answerThreadRequests`. It reads `data` as `workerData`. */
export const workerThread = (entry: URL, data: unknown): Callee =>
  new SelfEndingWorker(entry, { workerData: data, resourceLimits })

export class Thread<Args, Result> {
  readonly #options: ThreadOptions
  readonly #waiting: Waiting<Args, Result>[] = []
  #running = 0
  #calls: WorkerCalls<Args, Result> | undefined
  #idle: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** Rejects with the error of the handler, with the reason of the signal, or when the thread dies. */
  call(args: Args, options: CallOptions = {}): Promise<Result> {
    const { signal } = options
    return new Promise<Result>((resolve, reject) => {
      if (this.#closed) throw new Error('The thread is closed')
      signal?.throwIfAborted()
      const giveUp = () => this.#giveUp(waiting)
      const waiting: Waiting<Args, Result> = { ...options, args, resolve, reject, giveUp }
      this.#waiting.push(waiting)
      signal?.addEventListener('abort', giveUp, { once: true })
      this.#next()
    })
  }

  /** Ends the thread. Rejects all running and waiting calls. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idle)
    const error = new Error('The thread was closed')
    for (const { reject } of this.#waiting.splice(0)) reject(error)
    const calls = this.#calls
    calls?.fail(error)
    await calls?.worker.terminate()
  }

  #next(): void {
    while (this.#running < this.#options.concurrency) {
      const waiting = this.#waiting.shift()
      if (waiting === undefined) break
      void this.#run(waiting)
    }
    if (this.#running === 0) this.#stopWhenIdle()
  }

  async #run({ args, resolve, reject, giveUp, ...options }: Waiting<Args, Result>): Promise<void> {
    this.#running++
    // The signal may outlive thousands of calls.
    options.signal?.removeEventListener('abort', giveUp)
    try {
      resolve(await this.#start().call(args, options))
    } catch (error) {
      reject(error)
    } finally {
      this.#running--
      this.#next()
    }
  }

  #start(): WorkerCalls<Args, Result> {
    clearTimeout(this.#idle)
    if (this.#calls !== undefined) return this.#calls
    const calls = new WorkerCalls<Args, Result>(this.#options.start(), () => {
      // The next call starts another thread.
      if (this.#calls === calls) this.#calls = undefined
    })
    this.#calls = calls
    return calls
  }

  /** Ends a call that waits. */
  #giveUp(waiting: Waiting<Args, Result>): void {
    const at = this.#waiting.indexOf(waiting)
    if (at < 0) return
    this.#waiting.splice(at, 1)
    waiting.reject(waiting.signal?.reason)
  }

  #stopWhenIdle(): void {
    clearTimeout(this.#idle)
    const calls = this.#calls
    if (calls === undefined) return
    this.#idle = setTimeout(() => {
      this.#calls = undefined
      void calls.worker.terminate()
    }, this.#options.idleMs ?? 10_000)
    this.#idle.unref()
  }
}

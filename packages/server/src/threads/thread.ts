// The caller's side of a worker thread. It starts with the first call, stops when idle, and is replaced when it dies.
import { type Transferable, Worker } from 'node:worker_threads'
import { reviveError, type WireError } from './wire-error.ts'

interface ThreadOptions {
  /** The compiled module that calls `answerThreadRequests`. */
  entry: URL
  /** Plain data that the entry reads as `workerData`. */
  data: unknown
  /** How many calls run at a time. Further calls wait. */
  concurrency: number
  /** How long the thread outlives its last call. */
  idleMs?: number
}

/** The messages between the two sides. */
export type Request = { id: number; args: unknown } | { id: number; cancel: true }
export type Response = { id: number; result: unknown } | { id: number; error: WireError }

interface Call {
  id: number
  args: unknown
  transfer: Transferable[]
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** A small young generation is collected often, which keeps the thread's memory small. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 }

export class Thread<Args, Result> {
  readonly #options: ThreadOptions
  readonly #running = new Map<number, Call>()
  readonly #waiting: Call[] = []
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #lastId = 0
  #closed = false

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** Rejects with the error of the handler, with the reason of the signal, or when the thread dies. */
  call(args: Args, { transfer = [], signal }: { transfer?: Transferable[]; signal?: AbortSignal } = {}) {
    const id = ++this.#lastId
    const cancel = () => this.#cancel(id, signal?.reason)
    return new Promise<Result>((resolve, reject) => {
      if (this.#closed) throw new Error('The thread is closed')
      signal?.throwIfAborted()
      signal?.addEventListener('abort', cancel)
      this.#waiting.push({ id, args, transfer, resolve: result => resolve(result as Result), reject })
      this.#next()
    }).finally(() => signal?.removeEventListener('abort', cancel))
  }

  /** Ends the thread. Rejects all running and waiting calls. */
  async close(): Promise<void> {
    this.#closed = true
    const worker = this.#worker
    this.#drop(new Error('The thread was closed'))
    for (const call of this.#waiting.splice(0)) call.reject(new Error('The thread was closed'))
    await worker?.terminate()
  }

  #next() {
    while (this.#running.size < this.#options.concurrency) {
      const call = this.#waiting.shift()
      if (call === undefined) break
      this.#running.set(call.id, call)
      this.#start().postMessage({ id: call.id, args: call.args } satisfies Request, call.transfer)
    }
    if (this.#running.size === 0) this.#stopWhenIdle()
  }

  #start(): Worker {
    clearTimeout(this.#idle)
    if (this.#worker !== undefined) return this.#worker
    const { entry, data } = this.#options
    const worker = new Worker(entry, { workerData: data, resourceLimits })
    worker.on('message', (response: Response) => this.#settle(response))
    worker.on('error', error => this.#died(worker, error))
    worker.on('exit', code => this.#died(worker, new Error(`The thread ended with code ${code}`)))
    this.#worker = worker
    return worker
  }

  #settle(response: Response) {
    const call = this.#running.get(response.id)
    this.#running.delete(response.id)
    if ('error' in response) call?.reject(reviveError(response.error))
    else call?.resolve(response.result)
    this.#next()
  }

  #cancel(id: number, reason: unknown) {
    const at = this.#waiting.findIndex(call => call.id === id)
    if (at >= 0) this.#waiting.splice(at, 1)[0]!.reject(reason)
    else if (this.#running.has(id)) this.#worker?.postMessage({ id, cancel: true } satisfies Request)
  }

  /** Rejects the running calls. Waiting calls get a new thread. */
  #died(worker: Worker, error: Error) {
    if (this.#worker !== worker) return
    this.#drop(error)
    this.#next()
  }

  #drop(error: Error) {
    clearTimeout(this.#idle)
    this.#worker = undefined
    const lost = [...this.#running.values()]
    this.#running.clear()
    for (const call of lost) call.reject(error)
  }

  #stopWhenIdle() {
    clearTimeout(this.#idle)
    const worker = this.#worker
    if (worker === undefined) return
    this.#idle = setTimeout(() => {
      this.#worker = undefined
      void worker.terminate()
    }, this.#options.idleMs ?? 10_000)
    this.#idle.unref()
  }
}

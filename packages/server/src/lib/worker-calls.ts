// Calls of a function on a worker thread or in a process: numbered requests go there, answers with the same number come back.
import type { Transferable } from 'node:worker_threads'
import { encodeError, reviveError, type WireError } from './wire-error.ts'

type Request = { id: number; args: unknown } | { id: number; cancel: true } | typeof endYourself
type Response = { id: number; result: unknown } | { id: number; error: WireError }

/** Tells a worker to end between two steps of its work. */
export const endYourself = { end: true } as const

interface Pending {
  resolve(result: unknown): void
  reject(error: unknown): void
}

interface CallOptions {
  transfer?: Transferable[]
  /** Its abort cancels the call in the worker. */
  signal?: AbortSignal | undefined
}

/** A worker thread, or a process that is called like one. */
export interface Callee {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
  // biome-ignore lint/suspicious/noExplicitAny: the messages are those of `answerCalls`.
  on(event: 'message', listener: (message: any) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
  terminate(): Promise<unknown>
}

/** The other side: `parentPort` of a thread, or what a process has in its place. */
interface CallerPort {
  postMessage(message: unknown): void
  // biome-ignore lint/suspicious/noExplicitAny: the messages are those of `WorkerCalls`.
  on(event: 'message', listener: (message: any) => void): unknown
}

/** The caller's side of one worker. */
export class WorkerCalls<Args, Result> {
  readonly worker: Callee
  readonly #pending = new Map<number, Pending>()
  readonly #onDied: (error: Error) => void
  #lastId = 0
  #dead: Error | undefined

  constructor(worker: Callee, onDied: (error: Error) => void = () => undefined) {
    this.worker = worker
    this.#onDied = onDied
    worker.on('message', (response: Response) => this.#settle(response))
    worker.on('error', error => this.fail(error))
    worker.on('exit', code => this.fail(new Error(`The thread ended with code ${code}`)))
  }

  /** Rejects with the error of the handler, or when the worker dies. */
  call(args: Args, { transfer = [], signal }: CallOptions = {}): Promise<Result> {
    if (this.#dead) return Promise.reject(this.#dead)
    const id = ++this.#lastId
    const answered = new Promise<Result>((resolve, reject) => {
      this.#pending.set(id, { resolve: result => resolve(result as Result), reject })
      this.worker.postMessage({ id, args } satisfies Request, transfer)
    })
    if (signal === undefined) return answered
    const cancel = () => this.worker.postMessage({ id, cancel: true } satisfies Request)
    signal.addEventListener('abort', cancel)
    return answered.finally(() => signal.removeEventListener('abort', cancel))
  }

  /** Rejects all calls under way, and those to come. */
  fail(error: Error): void {
    if (this.#dead) return
    this.#dead = error
    this.#onDied(error)
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }

  #settle(response: Response): void {
    const pending = this.#pending.get(response.id)
    this.#pending.delete(response.id)
    if ('error' in response) pending?.reject(reviveError(response.error))
    else pending?.resolve(response.result)
  }
}

/** The worker's side: answers each request with what the handler returns or throws. */
export function answerCalls<Args, Result>(
  port: CallerPort,
  handle: (args: Args, signal: AbortSignal) => Result | Promise<Result>,
): void {
  const cancels = new Map<number, AbortController>()
  port.on('message', async (request: Request) => {
    if ('end' in request) process.exit()
    if ('cancel' in request) return cancels.get(request.id)?.abort()
    const { id, args } = request
    const cancel = new AbortController()
    cancels.set(id, cancel)
    port.postMessage(await answer(id, () => handle(args as Args, cancel.signal)))
    cancels.delete(id)
  })
}

async function answer(id: number, work: () => unknown): Promise<Response> {
  try {
    return { id, result: await work() }
  } catch (error) {
    return { id, error: encodeError(error) }
  }
}

// The main thread's side of the writer: statements in, rows out, one transaction at a time.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { WriterAnswer, WriterRequest } from './messages.ts'

/** An error of the engine, with its code (`SQLITE_CONSTRAINT_UNIQUE`, …). */
export class SqliteError extends Error {
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.name = 'SqliteError'
    this.code = code
  }
}

interface Waiting {
  resolve(answer: WriterAnswer): void
  reject(error: Error): void
}

export class Writer {
  /** Moves with every statement that was run, before whoever asked for it is told. */
  writes = 0
  readonly #thread: Worker
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1
  #tail: Promise<void> = Promise.resolve()
  #dead: Error | undefined

  private constructor(thread: Worker) {
    this.#thread = thread
    thread.on('message', (answer: WriterAnswer) => this.#settle(answer))
    thread.on('error', error => this.#fail(error))
    thread.on('exit', () => this.#fail(new Error('the database writer has stopped')))
  }

  static async open(file: string): Promise<Writer> {
    const thread = new Worker(new URL('./writer-thread.js', import.meta.url), { workerData: { file } })
    await once(thread, 'message')
    return new Writer(thread)
  }

  async execute(sql: string, parameters: readonly unknown[], begins = false): Promise<WriterAnswer> {
    if (this.#dead) throw this.#dead
    const request: WriterRequest = { id: this.#nextId++, sql, parameters, begins }
    const answer = await new Promise<WriterAnswer>((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject })
      this.#thread.postMessage(request)
    })
    if (answer.error) throw new SqliteError(answer.error.message, answer.error.code)
    return answer
  }

  /** Waits for the writer's turn; whoever holds it must call the function it gets. */
  async lock(): Promise<() => void> {
    const before = this.#tail
    let release = (): void => undefined
    this.#tail = new Promise(resolve => {
      release = resolve
    })
    await before
    return release
  }

  async close(): Promise<void> {
    const release = await this.lock()
    if (!this.#dead) {
      const exited = once(this.#thread, 'exit')
      this.#thread.postMessage('close')
      await exited
    }
    release()
  }

  #settle(answer: WriterAnswer): void {
    this.writes++
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    waiting?.resolve(answer)
  }

  #fail(error: Error): void {
    this.#dead ??= error
    this.writes++
    for (const waiting of this.#waiting.values()) waiting.reject(error)
    this.#waiting.clear()
  }
}

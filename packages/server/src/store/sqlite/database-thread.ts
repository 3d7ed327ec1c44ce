// The main thread's side of a thread that holds a connection: statements in, rows out.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ThreadAnswer, ThreadData, ThreadRequest } from './messages.ts'
import { SqliteError } from './open.ts'

interface Waiting {
  resolve(answer: ThreadAnswer): void
  reject(error: Error): void
}

export class DatabaseThread {
  readonly #thread: Worker
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1
  #dead: Error | undefined

  private constructor(thread: Worker) {
    this.#thread = thread
    thread.on('message', (answer: ThreadAnswer) => this.#settle(answer))
    thread.on('error', error => this.#fail(error))
    thread.on('exit', () => this.#fail(new Error('the thread of the database has stopped')))
  }

  static async open(workerData: ThreadData): Promise<DatabaseThread> {
    const thread = new Worker(new URL('./connection-thread.js', import.meta.url), { workerData })
    await once(thread, 'message')
    return new DatabaseThread(thread)
  }

  async execute(sql: string, parameters: readonly unknown[], begins = false): Promise<ThreadAnswer> {
    if (this.#dead) throw this.#dead
    const request: ThreadRequest = { id: this.#nextId++, sql, parameters, begins }
    const answer = await new Promise<ThreadAnswer>((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject })
      this.#thread.postMessage(request)
    })
    if (answer.error) throw new SqliteError(answer.error.message, answer.error.code)
    return answer
  }

  async close(): Promise<void> {
    if (this.#dead) return
    const exited = once(this.#thread, 'exit')
    this.#thread.postMessage('close')
    await exited
  }

  #settle(answer: ThreadAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    waiting?.resolve(answer)
  }

  #fail(error: Error): void {
    this.#dead ??= error
    for (const waiting of this.#waiting.values()) waiting.reject(error)
    this.#waiting.clear()
  }
}

// The main thread's side of a thread that holds a connection: statements in, rows out.
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { SelfEndingWorker } from '../../lib/self-ending-worker.ts'
import { WorkerCalls } from '../../lib/worker-calls.ts'
import { programFile } from '../../program-files.ts'
import type { StatementResult, ThreadData, ThreadRequest } from './messages.ts'
import { SqliteError } from './open.ts'

/** A small young generation is collected often, which keeps the thread's memory small. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 }

export class DatabaseThread {
  readonly #calls: WorkerCalls<ThreadRequest, StatementResult>
  #isOver = false

  private constructor(thread: Worker, onOver: () => void) {
    this.#calls = new WorkerCalls(thread, () => {
      this.#isOver = true
      onOver()
    })
  }

  /** Calls `onOver` when the thread was closed or has died. */
  static async open(workerData: ThreadData, onOver = (): void => undefined): Promise<DatabaseThread> {
    const entry = programFile('store/sqlite/connection-thread.js')
    const thread = new SelfEndingWorker(entry, { workerData, resourceLimits })
    await once(thread, 'message')
    return new DatabaseThread(thread, onOver)
  }

  async execute(sql: string, parameters: readonly unknown[], begins = false): Promise<StatementResult> {
    const result = await this.#calls.call({ sql, parameters, begins })
    if (result.error) throw new SqliteError(result.error.message, result.error.code)
    return result
  }

  /** Ends after the statements that were sent. */
  async close(): Promise<void> {
    if (this.#isOver) return
    await this.#calls.call('close')
    this.#calls.fail(new Error('The thread of the database was closed.'))
    await this.#calls.worker.terminate()
  }
}

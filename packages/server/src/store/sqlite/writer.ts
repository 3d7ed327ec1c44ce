// The one connection that writes, on a thread of its own: one transaction at a time.
import { DatabaseThread } from './database-thread.ts'
import type { StatementResult } from './messages.ts'

export class Writer {
  readonly #thread: DatabaseThread
  readonly #onExecuted: () => void
  #tail: Promise<void> = Promise.resolve()

  private constructor(thread: DatabaseThread, onExecuted: () => void) {
    this.#thread = thread
    this.#onExecuted = onExecuted
  }

  /** Calls `onExecuted` after every statement, before its promise resolves. */
  static async open(file: string, onExecuted: () => void = () => undefined): Promise<Writer> {
    return new Writer(await DatabaseThread.open({ file, writes: true }), onExecuted)
  }

  async execute(sql: string, parameters: readonly unknown[], begins = false): Promise<StatementResult> {
    try {
      return await this.#thread.execute(sql, parameters, begins)
    } finally {
      this.#onExecuted()
    }
  }

  /** Waits until the writer is free. The caller must call the returned function to release it. */
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
    await this.#thread.close()
    release()
  }
}

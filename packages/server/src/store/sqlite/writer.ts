// The one connection that writes, on a thread of its own: one transaction at a time.
import { DatabaseThread } from './database-thread.ts'
import { durability } from './durability.ts'
import type { StatementResult } from './messages.ts'

export class Writer {
  readonly #thread: DatabaseThread
  #tail: Promise<void> = Promise.resolve()

  private constructor(thread: DatabaseThread) {
    this.#thread = thread
  }

  static async open(file: string): Promise<Writer> {
    return new Writer(await DatabaseThread.open({ file, writes: durability }))
  }

  execute(sql: string, parameters: readonly unknown[], begins = false): Promise<StatementResult> {
    return this.#thread.execute(sql, parameters, begins)
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

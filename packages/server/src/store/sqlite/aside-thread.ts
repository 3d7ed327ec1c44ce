// A connection for long reads, on a thread of its own. A thread costs memory, so it starts with the first read, and ends when idle.
import { DatabaseThread } from './database-thread.ts'
import type { StatementResult } from './messages.ts'

const idleMs = 10_000

export class AsideThread {
  readonly #file: string
  #thread: Promise<DatabaseThread> | undefined
  #reads = 0
  #idle: NodeJS.Timeout | undefined

  constructor(file: string) {
    this.#file = file
  }

  async execute(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    clearTimeout(this.#idle)
    this.#reads++
    try {
      return await (await this.#open()).execute(sql, parameters)
    } finally {
      if (--this.#reads === 0) this.#idle = setTimeout(() => void this.#end(), idleMs).unref()
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#end()
  }

  #open(): Promise<DatabaseThread> {
    if (this.#thread === undefined) {
      // The next read starts another thread if this one does not start, or dies.
      const forget = (): void => {
        if (this.#thread === opening) this.#thread = undefined
      }
      const opening = DatabaseThread.open({ file: this.#file }, forget)
      opening.catch(forget)
      this.#thread = opening
    }
    return this.#thread
  }

  async #end(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    // A thread that did not start, or died, has told the reads that waited for it.
    await thread?.then(open => open.close()).catch(() => undefined)
  }
}

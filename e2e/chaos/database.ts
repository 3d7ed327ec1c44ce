// A PostgreSQL server of its own, which can be killed, frozen and started again.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(import.meta.resolve('@svc/server/dist/testing/postgres-server.js'))

export class Database {
  readonly url: string
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  private constructor(url: string, child: ChildProcess, lines: AsyncIterator<string>) {
    this.url = url
    this.#child = child
    this.#lines = lines
  }

  static async start(): Promise<Database> {
    const child = spawn(process.execPath, [program, '--durable'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const { value: url } = await lines.next()
    if (!url) throw new Error('PostgreSQL did not start.')
    return new Database(url, child, lines)
  }

  /** Stalled, it takes no new connections; frozen, it does nothing. `thaw` ends both. */
  async do(command: 'kill' | 'start' | 'stall' | 'freeze' | 'thaw'): Promise<void> {
    this.#child.stdin!.write(`${command}\n`)
    await this.#lines.next()
  }

  async stop(): Promise<void> {
    const ended = new Promise(resolve => this.#child.once('close', resolve))
    this.#child.stdin!.end()
    await ended
  }
}

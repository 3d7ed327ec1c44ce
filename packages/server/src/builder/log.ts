// The log of one build: stored line by line, with secrets removed and a limit on its size.
import { setTimeout as sleep } from 'node:timers/promises'
import { appendBuildLog, buildLogEnd } from '../store/builds/builds.ts'
import type { Db } from '../store/store.ts'
import { printable, Redaction } from './redaction.ts'

const bytesAtMost = 4 * 1024 * 1024
const writeEveryMs = 150
/** Longer lines are split. */
const lineBytes = 16 * 1024
/** With more than this waiting to be stored, the output of the command is paused. */
const waitingAtMost = 512 * 1024

export class BuildLog {
  readonly #db: Db
  readonly #buildId: string
  readonly #redaction: Redaction
  #end = 0
  #rest = ''
  #waiting = ''
  #isFull = false
  #writing: Promise<void> | undefined
  #failure: unknown
  readonly #decoder = new TextDecoder()

  private constructor(db: Db, buildId: string, secrets: readonly string[]) {
    this.#db = db
    this.#buildId = buildId
    this.#redaction = new Redaction(secrets)
  }

  /** Continues the log of an earlier attempt at the same build. */
  static async open(db: Db, buildId: string, secrets: readonly string[]): Promise<BuildLog> {
    const log = new BuildLog(db, buildId, secrets)
    log.#end = await buildLogEnd(db, buildId)
    return log
  }

  line(text: string): void {
    this.#flushRest()
    this.#add(`${text}\n`)
  }

  /** Returns false if the output comes faster than it can be stored. The caller then pauses reading. */
  output(chunk: Buffer): boolean {
    if (this.#isFull) return false
    this.#rest += this.#decoder.decode(chunk, { stream: true })
    const at = this.#rest.lastIndexOf('\n') + 1
    if (at > 0) {
      this.#add(this.#rest.slice(0, at))
      this.#rest = this.#rest.slice(at)
    }
    if (this.#rest.length > lineBytes + this.#redaction.length) this.#cutRest()
    return !this.#isFull && this.#waiting.length < waitingAtMost
  }

  /** Splits a long line, but keeps its end back, because a secret may begin there. */
  #cutRest(): void {
    const shown = this.#redaction.of(this.#rest)
    const end = shown.length - Math.min(shown.length, this.#redaction.length)
    this.#add(`${shown.slice(0, end)}\n`)
    this.#rest = shown.slice(end)
  }

  /** Resolves when everything is stored. */
  async close(): Promise<void> {
    this.#flushRest()
    await this.#writing
    if (this.#waiting !== '') await this.#write()
    if (this.#failure) throw this.#failure
  }

  #flushRest(): void {
    if (this.#rest === '') return
    this.#add(`${this.#rest}\n`)
    this.#rest = ''
  }

  #add(text: string): void {
    if (this.#isFull) return
    this.#waiting += this.#redaction.of(printable(text))
    if (this.#end + this.#waiting.length > bytesAtMost) {
      this.#isFull = true
      this.#waiting += '\n[The log ends here: it has reached 4 MB. The build goes on.]\n'
    }
    this.#writing ??= this.#writeSoon()
  }

  async #writeSoon(): Promise<void> {
    await sleep(writeEveryMs)
    this.#writing = undefined
    await this.#write().catch(error => {
      this.#failure ??= error
    })
  }

  async #write(): Promise<void> {
    const text = this.#waiting
    this.#waiting = ''
    if (text === '') return
    const bytes = Buffer.byteLength(text)
    const at = this.#end
    this.#end += bytes
    await appendBuildLog(this.#db, { build_id: this.#buildId, at, bytes, text, written_at: Date.now() })
  }
}

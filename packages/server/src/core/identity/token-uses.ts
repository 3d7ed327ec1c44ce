// Records when tokens were last used, accurate to a few minutes, so that a request needs no write. Uses are collected in
// memory and written together.
import { minuteMs } from '@svc/contract/durations'
import type { Clock } from '../../lib/clock.ts'
import { setLastUsed } from '../../store/identity/accounts.ts'
import type { Db } from '../../store/store.ts'

/** The stored time may be behind by this much. */
const coarseness = 5 * minuteMs
const writeAfterMs = 10_000
/** When this many uses wait, they are written at once. */
const notesAtMost = 1_000

export class TokenUses {
  readonly #db: Db
  readonly #clock: Clock
  readonly #notes = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Db, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** `stored` is the time of the last use in the database. */
  note(tokenId: string, stored: number | null): void {
    const now = this.#clock.now()
    if (stored !== null && now - stored < coarseness) return
    if (this.#notes.has(tokenId)) return
    this.#notes.set(tokenId, now)
    if (this.#notes.size >= notesAtMost) void this.#writeQuietly()
    else this.#timer ??= setTimeout(() => void this.#writeQuietly(), writeAfterMs).unref()
  }

  /** Lists of tokens call this first, so that they show the latest uses. */
  async write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const ids = [...this.#notes.keys()]
    if (ids.length === 0) return
    const latest = Math.max(...this.#notes.values())
    this.#notes.clear()
    await setLastUsed(this.#db, ids, latest)
  }

  async close(): Promise<void> {
    await this.#writeQuietly()
  }

  /** If the database does not answer, the uses are lost. That must not fail any request. */
  async #writeQuietly(): Promise<void> {
    await this.write().catch(() => undefined)
  }
}

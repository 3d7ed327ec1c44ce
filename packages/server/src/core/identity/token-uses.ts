// When tokens were last used. Coarse, so that a request costs no write: a use is noted in memory when the stored time is
// older than a few minutes, and all notes are written together.
import type { Clock } from '../../lib/clock.ts'
import { minute } from '../../lib/durations.ts'
import { setLastUsed } from '../../store/identity/accounts.ts'
import type { Db } from '../../store/store.ts'

/** The stored time may be that much behind. */
const coarseness = 5 * minute
const writeAfterMs = 10_000
/** More than that are written at once. */
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

  /** `stored` is what the database says of the last use. */
  note(tokenId: string, stored: number | null): void {
    const now = this.#clock.now()
    if (stored !== null && now - stored < coarseness) return
    if (this.#notes.has(tokenId)) return
    this.#notes.set(tokenId, now)
    if (this.#notes.size >= notesAtMost) void this.#writeQuietly()
    else this.#timer ??= setTimeout(() => void this.#writeQuietly(), writeAfterMs).unref()
  }

  /** Lists of tokens call this first, so that they show what was just used. */
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

  /** A database that is away costs a few notes, and must not fail the requests that were noted. */
  async #writeQuietly(): Promise<void> {
    await this.write().catch(() => undefined)
  }
}

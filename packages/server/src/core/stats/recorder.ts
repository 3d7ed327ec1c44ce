// Writes counts in short transactions, so that the database is never locked for long. Counts that cannot be written are kept
// for the next attempt.
import { type Counts, writeCounts } from '../../store/stats/intake.ts'
import type { Store } from '../../store/store.ts'
import { ListKeeper } from './lists.ts'
import { Tally } from './tally.ts'

/** How many rows one transaction writes. */
const rowsAtOnce = 1_000

export class Recorder {
  readonly #store: Store
  readonly #lists: ListKeeper
  readonly #onLoss: (requests: number) => void
  #tally = new Tally()

  constructor(store: Store, onLoss: (requests: number) => void) {
    this.#store = store
    this.#lists = new ListKeeper(store)
    this.#onLoss = onLoss
  }

  /** The tally to count in until the next write. */
  get tally(): Tally {
    return this.#tally
  }

  /** Throws if writing fails. The counts are kept for the next attempt. */
  async write(): Promise<void> {
    const waiting = portions(this.#tally.rows(this.#lists.atMost))
    this.#tally = new Tally()
    try {
      for (let portion = waiting[0]; portion !== undefined; portion = waiting[0]) {
        await this.#writePortion(portion)
        waiting.shift()
        await this.#lists.wrote(portion.names)
      }
    } finally {
      for (const portion of waiting) this.#tally.addBack(portion)
    }
  }

  /** Drops the counts that could not be written. */
  drop(): void {
    const { requests } = this.#tally
    this.#tally = new Tally()
    if (requests > 0) this.#onLoss(requests)
  }

  async #writePortion(portion: Counts): Promise<void> {
    try {
      await this.#store.transact(tx => writeCounts(tx, portion))
    } catch (error) {
      await this.#store.check()
      await this.#writeOneByOne(portion, error)
    }
  }

  /** If the database rejects a batch, one row may be the cause. Writing row by row saves the others. */
  async #writeOneByOne(portion: Counts, error: unknown): Promise<void> {
    const refused: Counts[] = []
    const single = portions(portion, 1)
    for (const row of single)
      await this.#store.transact(tx => writeCounts(tx, row)).catch(() => refused.push(row))
    if (refused.length === single.length) throw error
    for (const { hours } of refused) for (const { requests } of hours) this.#onLoss(requests)
  }
}

function portions({ hours, names, visitors }: Counts, atOnce = rowsAtOnce): Counts[] {
  const all: Counts[] = []
  let room = 0
  const share = <R>(rows: R[], into: (counts: Counts) => R[]) => {
    for (const row of rows) {
      if (room === 0) {
        all.push({ hours: [], names: [], visitors: [] })
        room = atOnce
      }
      into(all.at(-1)!).push(row)
      room--
    }
  }
  share(hours, counts => counts.hours)
  share(names, counts => counts.names)
  share(visitors, counts => counts.visitors)
  return all
}

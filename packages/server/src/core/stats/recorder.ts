// Writes counts, in short transactions so that nobody waits long for the database. What cannot be written is kept, within
// bounds, and tried again.
import { type Counts, type NameList, pruneNames, writeCounts } from '../../store/stats/intake.ts'
import type { Store } from '../../store/store.ts'
import type { StatsNameRow } from '../../store/tables.ts'

/** Rows of one transaction. */
const rowsAtOnce = 250
const waitingAtMost = 400

/** A list is cut to so many names when it has grown to twice as many. */
const namesKept: Record<StatsNameRow['kind'], number> = {
  cache: 50,
  country: 250,
  host: 50,
  path: 100,
  'view country': 250,
  'view page': 100,
  'view referrer': 100,
}

export class Recorder {
  readonly #store: Store
  readonly #onLoss: (requests: number) => void
  readonly #waiting: Counts[] = []
  /** Names written to each list since it was last looked at. */
  readonly #grown = new Map<string, number>()

  constructor(store: Store, onLoss: (requests: number) => void) {
    this.#store = store
    this.#onLoss = onLoss
  }

  get isDone(): boolean {
    return this.#waiting.length === 0
  }

  add(counts: Counts): void {
    this.#waiting.push(...portions(counts))
    while (this.#waiting.length > waitingAtMost) this.#onLoss(requestsIn(this.#waiting.shift()!))
  }

  /** Throws where the database does not take them; they then wait for the next time. */
  async write(): Promise<void> {
    for (let counts = this.#waiting[0]; counts !== undefined; counts = this.#waiting[0]) {
      const portion = counts
      await this.#store.transact(tx => writeCounts(tx, portion))
      this.#waiting.shift()
      await this.#prune(portion.names)
    }
  }

  /** Gives up what could not be written. */
  drop(): void {
    for (const counts of this.#waiting.splice(0)) this.#onLoss(requestsIn(counts))
  }

  async #prune(rows: StatsNameRow[]): Promise<void> {
    const lists = new Map<string, NameList>()
    for (const { project_id, kind, since } of rows) {
      const key = `${project_id} ${kind} ${since}`
      lists.set(key, { project_id, kind, since })
      this.#grown.set(key, (this.#grown.get(key) ?? 0) + 1)
    }
    for (const [key, list] of lists) {
      const keep = namesKept[list.kind]
      if (this.#grown.get(key)! > 2 * keep) this.#grown.set(key, await pruneNames(this.#store.db, list, keep))
    }
    if (this.#grown.size > 10_000) this.#grown.clear()
  }
}

const requestsIn = ({ hours }: Counts): number => hours.reduce((sum, { requests }) => sum + requests, 0)

function portions({ hours, names, visitors }: Counts): Counts[] {
  const all: Counts[] = []
  let room = 0
  const share = <R>(rows: R[], into: (counts: Counts) => R[]) => {
    for (const row of rows) {
      if (room === 0) {
        all.push({ hours: [], names: [], visitors: [] })
        room = rowsAtOnce
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

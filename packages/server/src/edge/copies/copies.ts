// What a node keeps on its disk of the rows that its edge reads: sites, deployments, domains, certificates. It uses them only
// while the database does not answer. A change drops its copies before the change counts as done, and then they are made anew.
import { hourMs } from '@svc/contract/durations'
import type { RowPlace, RowSource } from '../../core/base/row-source.ts'
import type { Change, Changes } from '../../ports/changes/port.ts'
import type { Db } from '../../store/store.ts'
import type { CopyFiles, Owner } from './copy-files.ts'

interface CopiesParts {
  files: CopyFiles
  db: Db
  changes: Changes
  onError(error: unknown): void
}

/** A read of the database, or its result on the way to the disk. */
interface Pending {
  place: RowPlace
  isOutdated: boolean
}

/** More owners than this are not kept. The edge has about half as many in memory. */
const ownersAtMost = 20_000
/** More results than this do not wait to be written. They are kept when they are read the next time. */
const waitingAtMost = 5_000
const refreshAfterMs = 100

/** Which topics drop the copies of a change. Removing a domain removes its certificate. */
const droppedBy: Partial<Record<Change['topic'], Owner['topic'][]>> = {
  project: ['project'],
  domain: ['domain', 'certificate'],
  certificate: ['certificate'],
}

/** Nothing is known of the rows: the database does not answer, and there is no copy. */
class NotKept extends Error {
  readonly code = 'DATABASE_AWAY'
}

export class Copies {
  readonly #parts: CopiesParts
  readonly #pending = new Map<string, Set<Pending>>()
  readonly #queue = new Map<string, { pending: Pending; rows: readonly object[] }>()
  readonly #stale = new Map<string, Owner>()
  readonly #unsubscribe: () => void
  readonly #tidying: NodeJS.Timeout
  readonly #background = new Set<Promise<void>>()
  #writing: Promise<void> | undefined
  #isClosed = false
  #refreshing: NodeJS.Timeout | undefined
  /** Reads an owner again from the database, which keeps it. */
  refresh: (owner: Owner) => Promise<unknown> = async () => undefined
  /** The owners that the edge has in memory. */
  inUse: () => Iterable<Owner> = () => []

  constructor(parts: CopiesParts) {
    this.#parts = parts
    this.#unsubscribe = parts.changes.subscribe(change => this.#forget(change))
    this.#tidying = setInterval(() => this.#inBackground(this.#tidy()), hourMs).unref()
    this.#inBackground(this.#tidy())
  }

  /** Reads the database, and keeps what it says. */
  get keeping(): RowSource {
    return {
      rows: async (place, ask) => {
        if (place === undefined) return (await ask(this.#parts.db)).rows
        const pending = this.#begin(place)
        let isWaiting = false
        try {
          const { rows } = await ask(this.#parts.db)
          isWaiting = this.#enqueue(pending, rows)
          return rows
        } finally {
          if (!isWaiting) this.#end(pending)
        }
      },
    }
  }

  /** Reads the copies. Throws if there is none. */
  get kept(): RowSource {
    return {
      rows: async <R extends object>(place: RowPlace | undefined) => {
        const rows = place && (await this.#parts.files.read(place))
        if (rows === undefined && place && !mayLack.has(place.part))
          throw new NotKept('The database does not answer, and this node has not kept what it said.')
        return (rows ?? []) as R[]
      },
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#tidying)
    clearTimeout(this.#refreshing)
    this.#unsubscribe()
    this.#isClosed = true
    await Promise.all(this.#background)
    await this.#writing
  }

  /** `close` waits for it. */
  #inBackground(work: Promise<void>): void {
    const done = work.finally(() => this.#background.delete(done))
    this.#background.add(done)
  }

  #begin(place: RowPlace): Pending {
    const pending = { place, isOutdated: false }
    const owner = ownerName(place)
    this.#pending.set(owner, (this.#pending.get(owner) ?? new Set()).add(pending))
    return pending
  }

  #end(pending: Pending): void {
    const owner = ownerName(pending.place)
    const all = this.#pending.get(owner)
    all?.delete(pending)
    if (all?.size === 0) this.#pending.delete(owner)
  }

  /** Returns false if the rows are not going to be written. */
  #enqueue(pending: Pending, rows: readonly object[]): boolean {
    const name = nameOf(pending.place)
    const earlier = this.#queue.get(name)
    if (earlier) this.#end(earlier.pending)
    else if (this.#queue.size >= waitingAtMost || this.#isClosed) return false
    this.#queue.set(name, { pending, rows })
    this.#wakeWriter()
    return true
  }

  #wakeWriter(): void {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
      if (this.#queue.size > 0) this.#wakeWriter()
    })
  }

  /** One after the other, since each waits for the disk. */
  async #write(): Promise<void> {
    for (const [name, { pending, rows }] of this.#queue) {
      this.#queue.delete(name)
      try {
        if (rows.length === 0) await this.#parts.files.delete(pending.place)
        else await this.#parts.files.write(pending.place, rows, () => pending.isOutdated)
      } catch (error) {
        this.#parts.onError(error)
      } finally {
        this.#end(pending)
      }
    }
  }

  #forget(change: Change): void {
    if (change.topic === 'everything') this.#forgetEverything()
    else if ('key' in change)
      for (const topic of droppedBy[change.topic] ?? []) this.#drop({ topic, key: change.key })
  }

  #drop(owner: Owner): void {
    const pending = this.#pending.get(ownerName(owner))
    for (const one of pending ?? []) one.isOutdated = true
    try {
      // A copy that was on its way to the disk is made anew, too.
      if (!this.#parts.files.drop(owner) && pending === undefined) return
    } catch (error) {
      this.#parts.onError(error)
    }
    this.#refreshSoon(owner)
  }

  #refreshSoon(owner: Owner): void {
    this.#stale.set(ownerName(owner), owner)
    this.#refreshing ??= setTimeout(() => this.#inBackground(this.#refreshStale()), refreshAfterMs).unref()
  }

  async #refreshStale(): Promise<void> {
    const owners = [...this.#stale.values()]
    this.#stale.clear()
    this.#refreshing = undefined
    await this.#refreshAll(owners)
  }

  #forgetEverything(): void {
    for (const pending of [...this.#pending.values()].flatMap(all => [...all])) {
      pending.isOutdated = true
      this.#refreshSoon({ topic: pending.place.topic, key: pending.place.key })
    }
    try {
      this.#inBackground(this.#refreshAll(this.#parts.files.dropAll()))
    } catch (error) {
      this.#parts.onError(error)
    }
  }

  /** If the database fails, the rest is kept when it is asked for the next time. */
  async #refreshAll(owners: Iterable<Owner> | AsyncIterable<Owner>): Promise<void> {
    try {
      for await (const owner of owners) {
        if (this.#isClosed) return
        await this.refresh(owner)
      }
    } catch {
      // The edge reports a database that does not answer by itself.
    }
  }

  async #tidy(): Promise<void> {
    try {
      await this.#parts.files.touch(this.inUse())
      await this.#parts.files.prune(ownersAtMost)
    } catch (error) {
      this.#parts.onError(error)
    }
  }
}

/** The reader looks further: a name may be a former name, and a host may have the wildcard certificate. */
const mayLack = new Set(['site', 'shown'])

const ownerName = ({ topic, key }: Owner): string => `${topic} ${key}`
const nameOf = (place: RowPlace): string => `${ownerName(place)} ${place.part}`

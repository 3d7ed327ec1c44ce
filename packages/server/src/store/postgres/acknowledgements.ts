// A change counts as done when all processes that follow the changes have dropped what it makes stale. Each process says so by a
// notification, or by the horizon of its next heartbeat. A process that does not is waited for until it has stopped to trust its
// caches.
import type { Committed, Followers } from './feed-rows.ts'
import { trustMs } from './feed-times.ts'

/** The confirmations of a few milliseconds go out in one message. */
const batchMs = 3
/** By then a follower that confirms nothing has dropped its caches. */
const waitMs = trustMs + 1_000
/** A follower that lapsed drops its caches every quarter of a second while the database does not confirm them. */
const lapsedMs = 500

interface Waiting {
  xid: number
  /** The changes that each follower has not confirmed. */
  missing: Map<string, Set<number>>
  done(): void
}

/** A message that followers send to each other. */
interface Confirmed {
  follower: string
  seqs: number[]
}

export class Acknowledgements {
  readonly #id: string
  readonly #send: (message: string) => void
  readonly #waiting = new Set<Waiting>()
  /** Confirmations may come before this process knows that its own commit is done. */
  #early = new Map<string, Set<number>>()
  #followers = new Set<string>()
  #hasLapsed = false
  #batch: number[] = []

  constructor(id: string, send: (message: string) => void) {
    this.#id = id
    this.#send = send
  }

  setFollowers({ trusted, hasLapsed }: Followers): void {
    const horizons = new Map(trusted.map(({ id, horizon }) => [id, horizon]))
    this.#followers = new Set(horizons.keys())
    this.#hasLapsed = hasLapsed
    for (const waiting of this.#waiting)
      for (const id of [...waiting.missing.keys()])
        if ((horizons.get(id) ?? Number.POSITIVE_INFINITY) > waiting.xid) this.#settle(waiting, id)
  }

  /** This process has applied the changes. */
  confirm(seqs: readonly number[]): void {
    if (seqs.length === 0) return
    if (this.#batch.length === 0) setTimeout(() => this.#flush(), batchMs)
    this.#batch.push(...seqs)
  }

  receive(message: string): void {
    const { follower, seqs } = JSON.parse(message) as Confirmed
    if (follower === this.#id) return
    this.#followers.add(follower)
    const early = this.#early.get(follower) ?? new Set()
    this.#early.set(follower, early)
    for (const seq of seqs) early.add(seq)
    if (early.size > 2_000) this.#early.set(follower, new Set([...early].slice(-1_000)))
    if (this.#early.size > 1_000) this.#early = new Map([...this.#early].slice(-500))
    for (const waiting of this.#waiting) {
      const missing = waiting.missing.get(follower)
      for (const seq of seqs) missing?.delete(seq)
      if (missing?.size === 0) this.#settle(waiting, follower)
    }
  }

  /** Resolves with the followers that did not confirm in time. */
  async wait(changes: readonly Committed[]): Promise<string[]> {
    if (changes.length === 0) return []
    if (this.#hasLapsed) await new Promise(resolve => setTimeout(resolve, lapsedMs))
    const missing = new Map<string, Set<number>>()
    for (const id of this.#followers) {
      const early = this.#early.get(id)
      const open = changes.filter(({ seq }) => !early?.has(seq))
      if (open.length > 0) missing.set(id, new Set(open.map(({ seq }) => seq)))
    }
    if (missing.size === 0) return []
    await new Promise<void>(resolve => {
      const timer = setTimeout(() => waiting.done(), waitMs)
      const waiting: Waiting = {
        xid: Math.max(...changes.map(({ xid }) => xid)),
        missing,
        done: () => {
          clearTimeout(timer)
          this.#waiting.delete(waiting)
          resolve()
        },
      }
      this.#waiting.add(waiting)
    })
    return [...missing.keys()]
  }

  #settle(waiting: Waiting, follower: string): void {
    waiting.missing.delete(follower)
    if (waiting.missing.size === 0) waiting.done()
  }

  #flush(): void {
    const seqs = this.#batch
    this.#batch = []
    const message: Confirmed = { follower: this.#id, seqs }
    this.#send(JSON.stringify(message))
  }
}

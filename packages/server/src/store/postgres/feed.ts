// The changes of all processes, in order of their commits. NOTIFY brings a change at once. A heartbeat reads back by a cursor what
// a broken connection missed, and tells whether the database answers.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Change } from '../../ports/changes/port.ts'
import { type ChangeListeners, changeOf } from '../platform/change-log.ts'
import { Acknowledgements } from './acknowledgements.ts'
import { type Committed, catchUp, type FeedRow, followersOf, leaveFeed, startOfFeed } from './feed-rows.ts'
import { channel, trustMs } from './feed-times.ts'

/** `listen` needs a connection of its own. `poll` also works through a pooler that gives each transaction another connection. */
export type FeedMode = 'listen' | 'poll'

const acknowledgedChannel = 'svc_acknowledged'

/** How often the heartbeat reads the cursor. */
const beatMs: Record<FeedMode, number> = { listen: 1_000, poll: 250 }
/** A heartbeat without an answer after this has failed. */
const answerMs = 5_000
const reconnectMs = 500
/** After this long without an answer the database counts as away. */
const awayMs = 10_000
const untrustedEveryMs = 250

/** Keeps the position of the feed beyond the end of the process. */
export interface FeedCursor {
  /** `undefined` if it is not known, or too old. */
  last(): number | undefined
  /** All changes before this transaction were told. */
  note(horizon: number): void
}

interface FeedParts {
  url: string
  mode: FeedMode
  cursor?: FeedCursor | undefined
  listeners: ChangeListeners
  log(message: string, error?: unknown): void
  /** Called with true when the database does not answer any more, and with false when it does. */
  onAway(isAway: boolean): void
}

export class Feed {
  readonly #parts: FeedParts
  readonly #id = randomUUID()
  readonly #acknowledgements: Acknowledgements
  #client: pg.Client | undefined
  #next: NodeJS.Timeout | undefined
  #untrusted: NodeJS.Timeout | undefined
  #horizon: number | undefined
  #delivered = new Set<number>()
  #confirmedAt = Date.now()
  /** A connection runs one statement at a time. */
  #last: Promise<unknown> = Promise.resolve()
  #isAway = false
  #isStopped = false

  constructor(parts: FeedParts) {
    this.#parts = parts
    this.#acknowledgements = new Acknowledgements(this.#id, message => this.#notify(message))
  }

  /** Milliseconds since this process last knew that it had missed no change. */
  get lagMs(): number {
    return Date.now() - this.#confirmedAt
  }

  /** Throws if the database does not answer. May be called again then. */
  async start(): Promise<void> {
    if (this.#untrusted || this.#isStopped) return
    try {
      if (!this.#client) await this.#connect()
      await this.#beat()
    } catch (error) {
      this.#drop()
      throw error
    }
    this.#schedule(beatMs[this.#parts.mode])
    this.#untrusted = setInterval(() => this.#distrust(), untrustedEveryMs).unref()
  }

  /** Called if the database did not answer at the start. */
  giveUp(): void {
    this.#setAway(true)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#next)
    clearInterval(this.#untrusted)
    const client = this.#client
    this.#client = undefined
    if (!client) return
    // A follower that cannot say goodbye is forgotten after `trustMs`.
    await within(
      answerMs,
      this.#alone(() => leaveFeed(client, this.#id)),
    ).catch(() => undefined)
    await within(answerMs, client.end()).catch(() => destroy(client))
  }

  /**
   * This process committed these changes. Tells its listeners at once, unless the notification of PostgreSQL was faster. Resolves
   * when all other followers have the changes, too.
   */
  async committed(changes: readonly Committed[]): Promise<void> {
    this.#notifyOfFresh(changes)
    if (changes.length === 0 || !this.#client) return
    // Processes that joined since the last heartbeat count, too. If this fails, the next heartbeat sees why.
    await this.#readFollowers(this.#client).catch(() => undefined)
    const missing = await this.#acknowledgements.wait(changes)
    if (missing.length > 0)
      this.#parts.log(`${missing.length} other processes did not confirm a change in time`)
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#parts.url,
      keepAlive: true,
      connectionTimeoutMillis: answerMs,
    })
    this.#client = client
    client.on('error', error => this.#parts.log('the connection of the change feed broke', error))
    client.on('notification', message => this.#receive(message))
    try {
      await within(answerMs, client.connect())
      if (this.#parts.mode === 'listen')
        await within(answerMs, client.query(`listen ${channel}; listen ${acknowledgedChannel}`))
      this.#horizon ??= this.#resume(await within(answerMs, startOfFeed(client)))
    } catch (error) {
      this.#drop()
      throw error
    }
  }

  /** Begins where an earlier process of this node ended. If that is not known, all that it kept may be stale. */
  #resume(now: number): number {
    if (!this.#parts.cursor) return now
    const last = this.#parts.cursor.last()
    if (last !== undefined && last <= now) return last
    this.#parts.listeners.notify([{ topic: 'everything' }])
    return now
  }

  #receive({ channel: name, payload = '{}' }: pg.Notification): void {
    if (name === acknowledgedChannel) this.#acknowledgements.receive(payload)
    else this.#deliver([JSON.parse(payload) as FeedRow])
  }

  #deliver(rows: readonly FeedRow[]): void {
    this.#acknowledgements.confirm(this.#notifyOfFresh(rows))
  }

  /** Tells the listeners of the changes that they do not know yet. Returns the numbers of these. */
  #notifyOfFresh(rows: readonly FeedRow[]): number[] {
    const fresh = rows.filter(({ seq }) => !this.#delivered.has(seq))
    for (const { seq } of fresh) this.#remember(seq)
    this.#parts.listeners.notify(fresh.map(changeOf))
    return fresh.map(({ seq }) => seq)
  }

  #remember(seq: number): void {
    this.#delivered.add(seq)
    if (this.#delivered.size > 20_000) this.#delivered = new Set([...this.#delivered].slice(-10_000))
  }

  #schedule(ms: number): void {
    if (this.#isStopped) return
    clearTimeout(this.#next)
    this.#next = setTimeout(() => void this.#turn(), ms).unref()
  }

  async #turn(): Promise<void> {
    try {
      if (!this.#client) await this.#connect()
      await this.#beat()
      this.#schedule(beatMs[this.#parts.mode])
    } catch (error) {
      if (this.#isStopped) return
      this.#parts.log('the change feed does not answer and connects again', error)
      this.#drop()
      if (this.lagMs > awayMs) this.#setAway(true)
      this.#schedule(reconnectMs)
    }
  }

  /** Reads what came since the last heartbeat. Whatever was committed before it began is then known. */
  async #beat(): Promise<void> {
    const client = this.#client
    if (!client) return
    const startedAt = Date.now()
    const read = await within(
      answerMs,
      this.#alone(() => catchUp(client, this.#id, this.#horizon ?? 0)),
    )
    if (read.rows === 'too many') this.#parts.listeners.notify([{ topic: 'everything' }])
    else this.#deliver(read.rows)
    this.#horizon = read.horizon
    this.#parts.cursor?.note(read.horizon)
    await this.#readFollowers(client)
    this.#confirmedAt = startedAt
    if (!this.#isAway) return
    this.#setAway(false)
    // What was read from copies meanwhile is read anew.
    this.#parts.listeners.notify([unconfirmed])
  }

  async #readFollowers(client: pg.Client): Promise<void> {
    const followers = this.#alone(() => followersOf(client, this.#id))
    this.#acknowledgements.setFollowers(await within(answerMs, followers))
  }

  #distrust(): void {
    if (this.lagMs > trustMs - untrustedEveryMs) this.#parts.listeners.notify([unconfirmed])
  }

  #setAway(isAway: boolean): void {
    if (this.#isAway === isAway) return
    this.#isAway = isAway
    this.#parts.onAway(isAway)
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work)
    this.#last = done.catch(() => undefined)
    return done
  }

  #drop(): void {
    if (this.#client) destroy(this.#client)
    this.#client = undefined
    this.#last = Promise.resolve()
  }

  #notify(message: string): void {
    const client = this.#client
    if (!client || this.#parts.mode === 'poll') return
    // The next heartbeat notices a broken connection, and followers that do not confirm are waited for no longer than `trustMs`.
    const notified = this.#alone(() =>
      client.query('select pg_notify($1, $2)', [acknowledgedChannel, message]),
    )
    notified.catch(() => undefined)
  }
}

const unconfirmed: Change = { topic: 'unconfirmed' }

function destroy(client: pg.Client): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}

/** Rejects if `work` takes longer. An answer that has arrived but was not read yet, since the process was busy, counts as in time. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setTimeout(() => reject(new Error('The database does not answer.')), 100), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

// Streams of events that say what changes in somebody's projects. An event names what changed and holds none of it: the
// reader loads the rows again, through endpoints that check its rights.
import { Readable } from 'node:stream'
import type { LiveEvent } from '@svc/contract'
import type { AlarmClock } from '../../lib/clock.ts'
import { Fault } from '../../lib/fault.ts'
import type { Change } from '../../ports/changes/port.ts'
import { findChanged, readableWorkspaces, type WorkspaceChange } from '../../store/platform/live-events.ts'
import type { Store } from '../../store/store.ts'

export const liveLimits = {
  perAccount: 30,
  inAll: 2_000,
  /** A reader that leaves this much unread is disconnected. It connects again and loads everything. */
  unreadBytes: 16 * 1024,
  /** More changes than this at once are sent as `reload`. */
  changesAtOnce: 200,
  /** Proxies close connections that are silent for a minute. */
  heartbeatMs: 20_000,
  /** Changes within this time are resolved by the same queries. */
  gatherMs: 50,
}

/** Which changes are sent. The others are about caches. */
const sent: Partial<Record<Change['topic'], LiveEvent['topic']>> = {
  project: 'project',
  deployment: 'deployment',
  app: 'app',
  build: 'build',
  domain: 'domain',
  certificate: 'domain',
  cron: 'cron',
  workspace: 'workspace',
}

interface Reader {
  tokenId: string
  accountId: string
  /** The only workspace that the reader asked for. `undefined` for all that it may see. */
  only: string | undefined
  /** The ids of the account and its orgs, when they were last read. */
  workspaces: ReadonlySet<string>
  stream: Readable
}

export class LiveEvents {
  readonly #store: Store
  readonly #clock: AlarmClock
  readonly #inAll: number
  readonly #readers = new Set<Reader>()
  #pending = new Map<string, { topic: LiveEvent['topic']; key: string }>()
  #missed = false
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> = Promise.resolve()
  #isBeating = false
  #isClosed = false

  constructor(store: Store, clock: AlarmClock, inAll = liveLimits.inAll) {
    this.#store = store
    this.#clock = clock
    this.#inAll = inAll
  }

  get size(): number {
    return this.#readers.size
  }

  /** Opens a stream of the events of all workspaces of an account, or of one of them. */
  async open(tokenId: string, accountId: string, only?: string): Promise<Readable> {
    this.#makeRoom(accountId)
    const reader: Reader = {
      ...{ tokenId, accountId, only, workspaces: new Set<string>() },
      stream: new Readable({ read: () => undefined, highWaterMark: liveLimits.unreadBytes }),
    }
    this.#readers.add(reader)
    reader.stream.once('close', () => this.#forget(reader))
    // Nobody else listens before the answer is sent.
    reader.stream.on('error', () => undefined)
    this.#unsubscribe ??= this.#store.changes.subscribe(change => this.#note(change))
    this.#beat()
    try {
      await this.#authorise(reader)
    } catch (error) {
      reader.stream.destroy()
      throw error
    }
    this.#write(reader, 'retry: 2000\nevent: ready\ndata: {}\n\n')
    return reader.stream
  }

  close(): void {
    this.#isClosed = true
    for (const { stream } of this.#readers) stream.push(null)
    clearTimeout(this.#timer)
    this.#unsubscribe?.()
  }

  /** When all streams are taken, the account with the most ends one. So a few accounts cannot take them from the others. */
  #makeRoom(accountId: string): void {
    if (this.#isClosed) throw new Fault('unavailable', 'The server is stopping. Try again in a moment.')
    const counts = new Map<string, number>()
    for (const reader of this.#readers) counts.set(reader.accountId, (counts.get(reader.accountId) ?? 0) + 1)
    const own = counts.get(accountId) ?? 0
    if (own >= liveLimits.perAccount) throw tooManyStreams()
    if (this.#readers.size < this.#inAll) return
    const most = Math.max(...counts.values())
    const oldest = [...this.#readers].find(reader => counts.get(reader.accountId) === most)
    if (!oldest || most <= own + 1) throw tooManyStreams()
    this.#forget(oldest)
    oldest.stream.destroy()
  }

  #forget(reader: Reader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }

  #note(change: Change): void {
    if (change.topic === 'unconfirmed') return
    const topic = sent[change.topic]
    if (change.topic === 'everything') this.#missed = true
    else if (topic) this.#pending.set(`${change.topic} ${change.key}`, { topic, key: change.key })
    else return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#sending = this.#sending.then(() => this.#flush())
    }, liveLimits.gatherMs).unref()
  }

  async #flush(): Promise<void> {
    const changes = [...this.#pending.values()]
    const isTooMuch = this.#missed || changes.length > liveLimits.changesAtOnce
    this.#pending = new Map()
    this.#missed = false
    try {
      if (isTooMuch) await this.#send(() => 'event: reload\ndata: {}\n\n')
      else {
        const found = await findChanged(this.#store.db, changes)
        await this.#send(reader =>
          found
            .filter(each => sees(reader, each))
            .map(lineOf)
            .join(''),
        )
      }
    } catch {
      // The database does not answer. The readers connect again, and load what they show.
      for (const { stream } of this.#readers) stream.destroy()
    }
  }

  /** Before anything is sent to a reader, its rights are checked again. */
  async #send(textFor: (reader: Reader) => string): Promise<void> {
    for (const reader of [...this.#readers]) {
      if (textFor(reader) === '' || !(await this.#authorise(reader))) continue
      const text = textFor(reader)
      if (text !== '') this.#write(reader, text)
    }
  }

  /** Reads which workspaces the reader may see. Ends its stream if its token is not valid any more. */
  async #authorise(reader: Reader): Promise<boolean> {
    const readable = await readableWorkspaces(this.#store.db, reader.tokenId, this.#clock.now())
    const isAllowed = readable.size > 0 && (reader.only === undefined || readable.has(reader.only))
    reader.workspaces = isAllowed && reader.only !== undefined ? new Set([reader.only]) : readable
    if (!isAllowed) reader.stream.push(null)
    return isAllowed
  }

  #write({ stream }: Reader, text: string): void {
    if (stream.readableEnded || stream.destroyed) return
    if (stream.readableLength > liveLimits.unreadBytes) stream.destroy()
    else stream.push(text)
  }

  /** Keeps connections open, and ends the streams of readers that lost their rights while nothing changed. */
  #beat(): void {
    if (this.#isBeating) return
    this.#isBeating = true
    this.#clock.timeout(liveLimits.heartbeatMs).addEventListener('abort', async () => {
      await this.#send(() => ': still here\n\n').catch(() => undefined)
      this.#isBeating = false
      if (this.#readers.size > 0 && !this.#isClosed) this.#beat()
    })
  }
}

const tooManyStreams = (): Fault =>
  new Fault(
    'rate_limit_exceeded',
    `Too many event streams are open. One account may have ${liveLimits.perAccount}. Close some, or try again in a minute.`,
    { retryAfter: 60 },
  )

const sees = ({ workspaces }: Reader, { workspace }: WorkspaceChange): boolean => workspaces.has(workspace)

const lineOf = ({ topic, project, id }: WorkspaceChange): string => {
  const event: LiveEvent = { topic, project, id }
  return `event: change\ndata: ${JSON.stringify(event)}\n\n`
}

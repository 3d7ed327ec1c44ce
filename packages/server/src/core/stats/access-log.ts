// The access log of the edge, from which stats are made. Answers wait in memory for a moment, are counted in small batches
// between requests, and are written as counts. Counting continues while the database is slow.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hourOf } from '../base/periods.ts'
import type { Access, AccessLog } from './access.ts'
import type { Counter } from './counter.ts'
import type { Recorder } from './recorder.ts'

interface BufferParts {
  counter: Pick<Counter, 'read'>
  recorder: Pick<Recorder, 'tally' | 'write' | 'drop'>
  /** The request log. */
  requests: { add(access: Access): void; write(): Promise<void> }
  metrics: { add(access: Access): void }
  /** Called when counts cannot be written. They are retried. */
  onError: (error: unknown) => void
  /** Called with the number of answers that will not be counted. */
  onLoss: (requests: number) => void
  settings?: Partial<AccessLogSettings>
}

export interface OpenAccessLog extends AccessLog {
  /** Counts and writes everything. What cannot be written now is lost. */
  close(): Promise<void>
}

export interface AccessLogSettings {
  /** How long the first answer waits before it is counted and written. */
  flushAfterMs: number
  /** Counting begins early when this many answers wait. */
  early: number
  /** From this many waiting answers on, equal ones are joined. Below, the request log shows each request. */
  busy: number
  /** The most answers that may wait. Further answers are not counted. */
  entries: number
  /** The most characters of requests that may wait. Further answers are not counted. */
  chars: number
  /** The least number of answers that are counted in one turn of the event loop. */
  slice: number
}

const defaults: AccessLogSettings = {
  flushAfterMs: 2_000,
  early: 5_000,
  busy: 200,
  entries: 100_000,
  chars: 16 * 1024 * 1024,
  slice: 25,
}
/**
 * Each turn of the event loop counts at least this share of the backlog. So counting keeps up with any load: the more waits,
 * the more is counted before the next requests are read.
 */
const backlogShare = 1 / 8
/** The estimated memory of an answer besides its texts, in characters. */
const overhead = 200

export class BufferedAccessLog implements OpenAccessLog {
  readonly #parts: BufferParts
  readonly #settings: AccessLogSettings
  #waiting: Access[] = []
  #chars = 0
  readonly #lost = new Map<string, { hour: number; requests: number }>()
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined
  #counting: Promise<boolean> | undefined
  #closed = false

  constructor(parts: BufferParts) {
    this.#parts = parts
    this.#settings = { ...defaults, ...parts.settings }
  }

  get isBusy(): boolean {
    return this.#waiting.length >= this.#settings.busy
  }

  add(access: Access): void {
    if (this.#closed) return
    const { chars, entries, early, flushAfterMs } = this.#settings
    this.#timer ??= setTimeout(() => this.#start(), flushAfterMs).unref()
    if (this.#chars > chars || this.#waiting.length >= entries) {
      this.#lose(access)
      return
    }
    this.#chars += access.fields.length + access.target.length + overhead
    if (this.#waiting.push(access) === early) this.#start()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#flushing
    await this.#counting
    await this.#flush()
    this.#closed = true
    clearTimeout(this.#timer)
    if (this.#waiting.length > 0) this.#parts.onLoss(sumOf(this.#waiting))
    this.#parts.recorder.drop()
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#flushing !== undefined) void this.#count()
    else
      this.#flushing = this.#flush().then(isDone => {
        this.#flushing = undefined
        if (!this.#closed) this.#goOn(isDone)
      })
  }

  /** Schedules the next run if answers wait or could not be written. Runs at once if there are many. */
  #goOn(isDone: boolean): void {
    const { early, flushAfterMs } = this.#settings
    if (isDone && this.#waiting.length >= early) this.#start()
    else if (!isDone || this.#waiting.length > 0 || !this.#parts.recorder.tally.isEmpty)
      this.#timer ??= setTimeout(() => this.#start(), flushAfterMs).unref()
  }

  /** Returns false if something could not be counted or written. */
  async #flush(): Promise<boolean> {
    const { recorder, requests, onError } = this.#parts
    const isCounted = await this.#count()
    this.#countLost()
    try {
      await recorder.write()
      await requests.write()
      return isCounted
    } catch (error) {
      onError(error)
      return false
    }
  }

  /** Continues in the background if many answers came meanwhile, so that callers need not wait for those. */
  #count(): Promise<boolean> {
    this.#counting ??= this.#countWaiting().then(isCounted => {
      this.#counting = undefined
      if (isCounted && this.#waiting.length >= this.#settings.early) void this.#count()
      return isCounted
    })
    return this.#counting
  }

  /** Returns false if the answers could not be counted. They stay in the queue. */
  async #countWaiting(): Promise<boolean> {
    const { counter, recorder, requests, metrics, onError } = this.#parts
    const taken = this.#waiting
    this.#waiting = []
    this.#chars = 0
    for (let at = 0; at < taken.length; ) {
      const backlog = taken.length - at + this.#waiting.length
      const size = Math.max(this.#settings.slice, Math.ceil(backlog * backlogShare))
      const slice = taken.slice(at, at + size)
      for (const access of slice) access.taken = true
      try {
        const count = await counter.read(slice)
        // The recorder starts a new tally with each write.
        count(recorder.tally)
        for (const access of slice) {
          requests.add(access)
          metrics.add(access)
        }
      } catch (error) {
        this.#putBack(taken.slice(at))
        onError(error)
        return false
      }
      at += size
      await nextTurn()
    }
    return true
  }

  #putBack(accesses: Access[]): void {
    this.#waiting = [...accesses, ...this.#waiting]
    for (const { fields, target } of accesses) this.#chars += fields.length + target.length + overhead
  }

  #lose(access: Access): void {
    const { projectId, at, times } = access
    const before = this.#lost.get(projectId)?.requests ?? 0
    this.#lost.set(projectId, { hour: hourOf(at), requests: before + times })
    access.taken = true
  }

  /** Marks the stats of these projects as incomplete. */
  #countLost(): void {
    const { tally } = this.#parts.recorder
    for (const [projectId, { hour, requests }] of this.#lost) {
      tally.hour(projectId, hour).row.lost += requests
      this.#parts.onLoss(requests)
    }
    this.#lost.clear()
  }
}

/** For platforms without analytics. */
export const closedAccessLog: OpenAccessLog = {
  isBusy: true,
  add: () => undefined,
  close: async () => undefined,
}

const sumOf = (accesses: Access[]): number => accesses.reduce((sum, { times }) => sum + times, 0)

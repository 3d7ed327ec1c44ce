// A start while PostgreSQL does not answer: the edge serves from its copies, and everything else begins when the database answers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { answerFault } from '../api/answer.ts'
import type { LateStart } from '../core/base/platform.ts'
import { Fault } from '../lib/fault.ts'
import type { Part, Parts } from '../listener.ts'
import { troubleOf } from '../store/faults.ts'

const retryMs = 500

/** `undefined` if the database answers. Throws if it does not, and the start may not go on without it. */
export async function startWithoutDatabase(
  prepare: () => Promise<void>,
  hasCopies: boolean,
  log: Logger,
): Promise<LateStartup | undefined> {
  try {
    await prepare()
    return undefined
  } catch (err) {
    if (!hasCopies || troubleOf(err) !== 'away') throw err
    log.warn({ err }, 'started without the database: sites are served as this node last knew them')
    return new LateStartup(prepare, log)
  }
}

export class LateStartup implements LateStart {
  readonly #prepare: () => Promise<void>
  readonly #log: Logger
  readonly #startedAt = Date.now()
  readonly #stopping = new AbortController()
  #endedAt: number | undefined
  #work: Promise<void> = Promise.resolve()
  #fail: (error: unknown) => void = () => undefined
  /** Rejects if the database answers, but this node cannot use it. */
  readonly failure = new Promise<never>((_, reject) => {
    this.#fail = reject
  })

  constructor(prepare: () => Promise<void>, log: Logger) {
    this.#prepare = prepare
    this.#log = log
    // `svcd start` and edge workers wait for it. Others need not.
    this.failure.catch(() => undefined)
  }

  get isOver(): boolean {
    return this.#endedAt !== undefined
  }

  get waitedMs(): number {
    return (this.#endedAt ?? Date.now()) - this.#startedAt
  }

  /** Runs `work`, then lets requests in, and then runs `further`. */
  whenAnswered(work: () => Promise<void>, further: () => void): void {
    const { signal } = this.#stopping
    this.#work = this.#untilAnswered(signal)
      .then(work)
      .then(() => {
        this.#endedAt = Date.now()
        if (!signal.aborted) further()
        this.#log.info({ waitedMs: this.waitedMs }, 'the database answers: this node works as usual')
      })
      .catch(error => signal.aborted || this.#fail(error))
      .then(() => undefined)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#work
  }

  async #untilAnswered(signal: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(retryMs, undefined, { signal })
      try {
        return await this.#prepare()
      } catch (error) {
        if (troubleOf(error) !== 'away') throw error
      }
    }
  }
}

/** Refuses requests that need the database until the start is over. Health and status say what is wrong themselves. */
export function openedAfter(
  start: LateStart | undefined,
  parts: Partial<Parts>,
  log: Logger,
): Partial<Parts> {
  if (start === undefined) return parts
  const later =
    (part: Part): Part =>
    (exchange, upgrade) => {
      if (start.isOver || exchange.url.startsWith('/health')) return part(exchange, upgrade)
      exchange.setCommonHeaders()
      answerFault(log, 'none', exchange, awaited())
    }
  const { api, ai } = parts
  return { ...parts, ...(api && { api: later(api) }), ...(ai && { ai: later(ai) }) }
}

const awaited = (): Fault =>
  new Fault(
    'unavailable',
    'The server was started while its database did not answer, and waits for it. Sites are served as this node last knew them. Try again in a moment.',
    { retryAfter: 5 },
  )

// The log of an app as it grows.
import type { LogLine } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { call } from '../../api.ts'
import { asText, readAnswer, type Shown, secondsOf, withNewer, withOlder } from './lines.ts'
import { PolledFeed } from './polled-feed.ts'
import { boundsOf, type TimeRange } from './time-ranges.ts'

/** Empty texts are no filter. */
interface LogFilter {
  search: string
  level: string
  stream: string
  branch: string
  deployment: string
  instance: string
  time: TimeRange
}

export interface AppLogView extends Shown {
  /** Undefined until the first answer. */
  state: 'running' | 'stopped' | 'unreachable' | undefined
  stoppedAt: string | null
}

const pollMs = 2_000
const atFirst = 500
const { max } = limits.logsTail
/** A download has at most so many pages. A log of short lines has more than a megabyte for each. */
const pagesAtMost = 100

export class AppLogFeed extends PolledFeed<AppLogView> {
  readonly #project: string
  readonly #filter: LogFilter
  /** Where the next answer begins. */
  #next: string | undefined

  constructor(project: string, filter: LogFilter) {
    super({ lines: [], state: undefined, stoppedAt: null, hasEarlier: false }, pollMs)
    this.#project = project
    this.#filter = filter
  }

  protected override async ask() {
    const tail = this.#next === undefined ? atFirst : max
    const { state, stopped_at, lines, next_since } = await this.#page({ tail, since: this.#next })
    if (next_since !== undefined) this.#next = next_since
    const shown = withNewer(this.view.get(), readAnswer(lines ?? [], tail))
    return { ...shown, state, stoppedAt: stopped_at }
  }

  async earlier(): Promise<void> {
    const [first] = this.view.get().lines
    if (!first) return
    const { lines = [] } = await this.#page({ tail: atFirst, until: secondsOf(first.stamp) })
    const view = this.view.get()
    this.view.set({ ...view, ...withOlder(view, readAnswer(lines, atFirst)) })
  }

  /** Every line that the filter lets through, also those that are not shown yet. */
  async everything(): Promise<string> {
    const pages: string[] = []
    let until: string | undefined
    while (pages.length < pagesAtMost) {
      const { lines: answered = [] } = await this.#page({ tail: max, until })
      const { lines, hasEarlier } = readAnswer(answered as LogLine[], max)
      pages.unshift(asText(lines))
      if (!hasEarlier || !lines[0]) break
      until = secondsOf(lines[0].stamp)
    }
    return pages.join('')
  }

  #page(page: { tail: number; since?: string | undefined; until?: string | undefined }) {
    const { time, ...filter } = this.#filter
    const bounds = boundsOf(time, Date.now())
    const [since, until] = [page.since ?? bounds.since, page.until ?? bounds.until]
    const chosen = Object.entries({ ...filter, since, until }).filter(([, value]) => value)
    const query = { details: '1', tail: String(page.tail), ...Object.fromEntries(chosen) } as const
    return call('GET /projects/:name/logs', { params: { name: this.#project }, query })
  }
}

// The log as it grows: asked for every two seconds while somebody looks. Times only grow, so no line is lost or repeated.
import { limits } from '@svc/contract/limits'
import { call } from '../../api.ts'
import { createStore } from '../../store.ts'
import { readAnswer, type Shown, secondsOf, withNewer, withOlder } from './lines.ts'
import { pollWhileVisible } from './poll.ts'

export interface LogView extends Shown {
  /** Undefined until the first answer. */
  state: 'running' | 'stopped' | 'unreachable' | undefined
  stoppedAt: string | null
  error: unknown
}

const everyMs = 2_000
const atFirst = 500
const { max } = limits.logsTail

export class LogFeed {
  readonly view = createStore<LogView>({
    lines: [],
    state: undefined,
    stoppedAt: null,
    hasEarlier: false,
    error: undefined,
  })
  readonly #project: string

  constructor(project: string) {
    this.#project = project
  }

  /** Starts the feed. Returns a function that stops it. */
  run(): () => void {
    return pollWhileVisible(() => this.look(), everyMs)
  }

  async look(): Promise<void> {
    try {
      const before = this.view.get()
      const last = before.lines.at(-1)
      const tail = last ? max : atFirst
      const answer = await this.#ask(last ? { tail, since: secondsOf(last.stamp) } : { tail })
      const { state, stopped_at: stoppedAt } = answer
      // With `since`, the API leaves out the last lines of a stopped app. They are loaded once per stop.
      const hasStopped = state === 'stopped' && last && before.stoppedAt !== stoppedAt
      const { logs } = hasStopped ? await this.#ask({ tail }) : answer
      const shown = withNewer(this.view.get(), readAnswer(logs, tail))
      this.view.set({ ...shown, error: undefined, state, stoppedAt })
    } catch (error) {
      this.view.set({ ...this.view.get(), error })
    }
  }

  async earlier(): Promise<void> {
    const [first] = this.view.get().lines
    if (!first) return
    const { logs } = await this.#ask({ tail: atFirst, until: secondsOf(first.stamp) })
    const view = this.view.get()
    this.view.set({ ...view, ...withOlder(view, readAnswer(logs, atFirst)) })
  }

  #ask({ tail, ...range }: { tail: number; since?: string; until?: string }) {
    const query = { tail: String(tail), timestamps: '1', ...range } as const
    return call('GET /projects/:name/logs', { params: { name: this.#project }, query })
  }
}

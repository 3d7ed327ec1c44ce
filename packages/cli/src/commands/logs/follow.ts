// Following a log: asks every second for what is newer than the last line seen. Times in a log only grow, so that no
// line is lost or repeated, whether the app is stopped, started, deployed again or unreachable for a while.
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@svc/contract/client'
import { limits } from '@svc/contract/limits'
import { notice } from '../../output.ts'
import { type Line, stampedLines } from './lines.ts'
import { secondsOfStamp } from './since.ts'
import { stoppedWords, unreachableWords } from './words.ts'

interface Answer {
  state: 'running' | 'stopped' | 'unreachable'
  logs: string
  stopped_at: string | null
}

type Loose = { [Field in keyof Answer]?: Answer[Field] | null | undefined }

/** Fills in missing fields: an answer without a state or lines is from a running app that wrote nothing. */
export const whole = ({ state, logs, stopped_at }: Loose): Answer => ({
  state: state ?? 'running',
  logs: logs ?? '',
  stopped_at: stopped_at ?? null,
})

export interface Range {
  tail?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

export type Ask = (query: Range & { timestamps?: '1' | undefined }) => Promise<Answer>

const pollMs = 1000
const tail = String(limits.logsTail.max)
const timestamps = '1'

/** Shows new lines until an error or the end of the program. */
export async function follow(ask: Ask, first: Range, show: (line: Line) => void): Promise<never> {
  const following = new Following(ask, show)
  while (!(await following.begin(first))) await sleep(pollMs)
  for (;;) {
    await sleep(pollMs)
    await following.look()
  }
}

class Following {
  readonly #ask: Ask
  readonly #show: (line: Line) => void
  /** Unix seconds. Lines up to this time were shown, or not asked for. */
  #since: string | undefined
  #last = ''
  #stoppedAt: string | null | undefined
  #isAway = false

  constructor(ask: Ask, show: (line: Line) => void) {
    this.#ask = ask
    this.#show = show
  }

  /** Shows the first lines. Returns false if the runner does not answer yet. */
  async begin(range: Range): Promise<boolean> {
    this.#since = range.since
    const asked = this.#ask({ ...range, timestamps })
    const answer = await (this.#isAway ? asked.catch(awayOrThrow) : asked)
    const hidden = answer.state === 'stopped' && range.since !== undefined
    const { logs } = hidden ? await this.#ask({ tail: range.tail, timestamps }) : answer
    this.#showNew(stampedLines(logs))
    this.#printStateChange(answer)
    return answer.state !== 'unreachable'
  }

  async look(): Promise<void> {
    const answer = await this.#ask({ tail, since: this.#since, timestamps }).catch(awayOrThrow)
    const isKnown = answer.state === 'stopped' && answer.stopped_at === this.#stoppedAt
    if (!isKnown && answer.state !== 'unreachable') this.#showNew(await this.#allNew(answer))
    this.#printStateChange(answer)
  }

  /** All lines since the last one shown. An answer is bounded, so older new lines are asked for page by page. */
  async #allNew(answer: Answer): Promise<Line[]> {
    // With `since`, the API leaves out the last lines of a stopped app.
    const newest = answer.state === 'stopped' ? await this.#ask({ tail, timestamps }) : answer
    let page = newest.logs
    let lines = stampedLines(page)
    while (isFull(page) && lines[0] && lines[0].stamp > this.#last) {
      const { stamp } = lines[0]
      page = (await this.#ask({ tail, until: secondsOfStamp(stamp), timestamps })).logs
      const older = stampedLines(page).filter(line => line.stamp < stamp)
      if (older.length === 0) break
      lines = [...older, ...lines]
    }
    return lines
  }

  #showNew(lines: Line[]): void {
    for (const line of lines) {
      const isOld = this.#last ? line.stamp <= this.#last : isBefore(line, this.#since)
      if (isOld) continue
      this.#show(line)
      this.#last = line.stamp
      this.#since = secondsOfStamp(line.stamp)
    }
  }

  /** Prints each change of the app's state once. */
  #printStateChange({ state, stopped_at }: Answer): void {
    if (state === 'unreachable' && !this.#isAway) notice(unreachableWords)
    if (state === 'stopped' && stopped_at !== this.#stoppedAt) notice(stoppedWords(stopped_at))
    this.#isAway = state === 'unreachable'
    if (state === 'stopped') this.#stoppedAt = stopped_at
    if (state === 'running') this.#stoppedAt = undefined
  }
}

const isBefore = (line: Line, since: string | undefined): boolean =>
  since !== undefined && Number(secondsOfStamp(line.stamp)) <= Number(since)

/** Whether the answer is as long as it may be, so that lines may be missing. */
const isFull = (logs: string): boolean =>
  Buffer.byteLength(logs) + limits.logLineBytes > limits.logsAnswerBytes ||
  stampedLines(logs).length >= limits.logsTail.max

/**
 * Treats a platform that cannot be reached, for example during a restart, as a runner that does not answer. Throws other
 * errors.
 */
function awayOrThrow(error: unknown): Answer {
  if (!isAway(error)) throw error
  return { state: 'unreachable', logs: '', stopped_at: null }
}

/** Whether the platform cannot be reached, or does not answer now. */
export const isAway = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500)

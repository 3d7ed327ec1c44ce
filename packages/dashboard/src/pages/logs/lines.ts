// Lines of an app's log as they are shown, and what is looked for in them.
import type { LogLine } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { type Piece, styledPieces } from '../../components/ansi.ts'

export interface Line extends Pick<LogLine, 'stream' | 'level'> {
  /** RFC 3339 with nanoseconds. All have the same length, so their order is the order of times. */
  stamp: string
  /** Without commands for terminals. */
  text: string
  /** The same text with the colours that the app gave it. */
  pieces: readonly Piece[]
  deployment: string
  instance: string
}

/** An answer to a request for `tail` lines. If it is as long as an answer may be, there may be lines before it. */
export function readAnswer(answered: readonly LogLine[], tail: number): Shown {
  const encoder = new TextEncoder()
  let bytes = 0
  const lines = answered.map(({ at, stream, level, deployment_id, instance_id, text }) => {
    bytes += encoder.encode(text).length + overheadBytes
    const pieces = styledPieces(text)
    return {
      ...{ stamp: at, stream, level, deployment: deployment_id, instance: instance_id, pieces },
      text: pieces.map(piece => piece.text).join(''),
    }
  })
  return { lines, hasEarlier: lines.length >= tail || bytes + limits.logLineBytes > limits.logsAnswerBytes }
}

/** The API counts this much for the time of each line. */
const overheadBytes = 32

/** Unix seconds with all nine decimals, as the API takes them. */
export const secondsOf = (stamp: string): string =>
  `${Date.parse(`${stamp.slice(0, 19)}Z`) / 1000}.${stamp.slice(20, 29)}`

/** What is shown, and whether there may be more before its first line. */
export interface Shown {
  lines: readonly Line[]
  hasEarlier: boolean
}

/** Adds newer lines at the end, and drops the oldest of too many. If the answer left lines out, only the answer is shown. */
export function withNewer({ lines, hasEarlier }: Shown, { lines: more, hasEarlier: leftOut }: Shown): Shown {
  const last = lines.at(-1)?.stamp
  const [first] = more
  if (last === undefined || (leftOut && first && first.stamp > last))
    return { lines: more, hasEarlier: leftOut }
  const newer = more.filter(({ stamp }) => stamp > last)
  if (newer.length === 0) return { lines, hasEarlier }
  // Keep at least as many lines as before, because the reader may have loaded older ones.
  const room = Math.max(limits.logsTail.max, lines.length)
  const all = [...lines, ...newer]
  return { lines: all.slice(-room), hasEarlier: hasEarlier || all.length > room }
}

/** Adds older lines at the beginning. */
export function withOlder({ lines }: Shown, { lines: more, hasEarlier }: Shown): Shown {
  const first = lines[0]?.stamp
  const older = more.filter(({ stamp }) => first === undefined || stamp < first)
  return { lines: [...older, ...lines], hasEarlier }
}

/** The text in parts, of which every second one is what was looked for. */
export function find(text: string, wanted: string): string[] {
  if (wanted === '') return [text]
  const parts: string[] = []
  const [within, what] = [text.toLowerCase(), wanted.toLowerCase()]
  let from = 0
  for (let at = within.indexOf(what); at !== -1; at = within.indexOf(what, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + what.length))
    from = at + what.length
  }
  return [...parts, text.slice(from)]
}

/** The lines as a text file. */
export const asText = (lines: readonly Line[]): string =>
  lines.map(({ stamp, stream, text }) => `${stamp} ${stream} ${text}\n`).join('')

/** `10:40:53.123`, in the reader's own time. */
export function clockTime(stamp: string): string {
  const at = new Date(`${stamp.slice(0, 23)}Z`)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${stamp.slice(20, 23)}`
}

const dates = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' })

/** `10:40:53.123` for today, `Nov 15, 10:40:53` for another day, in the reader's own time. */
export function momentOf(stamp: string, now: number): string {
  const at = new Date(`${stamp.slice(0, 23)}Z`)
  return at.toDateString() === new Date(now).toDateString()
    ? clockTime(stamp)
    : `${dates.format(at)}, ${clockTime(stamp).slice(0, 8)}`
}

/** The id of the request that a line is about. The app gets it in `X-Svc-Request-Id`. */
export const requestIdIn = (text: string): string | undefined => /\breq_[0-9a-z]{18,32}\b/.exec(text)?.[0]

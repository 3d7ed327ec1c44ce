// Lines of a log as the API writes them, each with its time, and what is looked for in them.
import { limits } from '@svc/contract/limits'

export interface Line {
  /** RFC 3339 with nanoseconds; of one width, so that their order is the order of times. */
  stamp: string
  text: string
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a terminal takes for a command
const terminalCommands = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g

/** An answer that was asked for so many lines. It has more before it where it is as long as it may be. */
export function readAnswer(logs: string, tail: number): Shown {
  const lines = readLines(logs)
  const bytes = new TextEncoder().encode(logs).length
  return { lines, hasEarlier: lines.length >= tail || bytes + limits.logLineBytes > limits.logsAnswerBytes }
}

function readLines(logs: string): Line[] {
  if (logs === '') return []
  return logs
    .replace(/\n$/, '')
    .split('\n')
    .map(line => {
      const space = line.indexOf(' ')
      return { stamp: line.slice(0, space), text: line.slice(space + 1).replace(terminalCommands, '') }
    })
}

/** Unix seconds with all nine decimals, as the API takes them. */
export const secondsOf = (stamp: string): string =>
  `${Date.parse(`${stamp.slice(0, 19)}Z`) / 1000}.${stamp.slice(20, 29)}`

/** What is shown, and whether there may be more before its first line. */
export interface Shown {
  lines: readonly Line[]
  hasEarlier: boolean
}

/** What is newer is added at the end; of too many the oldest go. Where the answer left something out, only it is shown. */
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

/** The line in pieces: every second one is what was looked for. Undefined where it is not in there. */
export function find(text: string, wanted: string): string[] | undefined {
  if (wanted === '') return [text]
  const pieces: string[] = []
  const [within, what] = [text.toLowerCase(), wanted.toLowerCase()]
  let from = 0
  for (let at = within.indexOf(what); at !== -1; at = within.indexOf(what, from)) {
    pieces.push(text.slice(from, at), text.slice(at, at + what.length))
    from = at + what.length
  }
  return pieces.length === 0 ? undefined : [...pieces, text.slice(from)]
}

/** Whether the platform wrote the line, for example about a start or a stop. */
export const isFromPlatform = (text: string): boolean => text.startsWith('svc: ')

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

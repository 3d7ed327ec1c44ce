// The log of a build as lines with times and colours.
import { type Piece, styledPieces } from '../../components/ansi.ts'

export interface BuildLine {
  number: number
  /** ISO 8601; undefined where the log has none. */
  time: string | undefined
  /** Without commands for terminals. */
  text: string
  pieces: readonly Piece[]
}

/** A program that shows progress goes back to the start of the line with `\r`. Only what it wrote last is shown. */
export const linesOf = (log: string): BuildLine[] =>
  withoutLastBreak(log)
    .split('\n')
    .map((line, i) => {
      const { time, rest } = partsOf(line)
      const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest
      const pieces = styledPieces(whole.slice(whole.lastIndexOf('\r') + 1))
      return { number: i + 1, time, pieces, text: pieces.map(({ text }) => text).join('') }
    })

/** Of each line, the API gives the time, a space and the text. Lines of older builds have `-` as their time. */
function partsOf(line: string): { time: string | undefined; rest: string } {
  const at = line.indexOf(' ')
  const time = line.slice(0, at)
  return { time: time === '-' ? undefined : time, rest: line.slice(at + 1) }
}

/** The log as the build wrote it. */
export const withoutTimes = (log: string): string =>
  log
    .split('\n')
    .map(line => line.slice(line.indexOf(' ') + 1))
    .join('\n')

const withoutLastBreak = (log: string): string => (log.endsWith('\n') ? log.slice(0, -1) : log)

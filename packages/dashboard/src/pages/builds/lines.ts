// The log of a build as lines with colours.
import { type Piece, styledPieces } from '../../components/ansi.ts'

interface BuildLine {
  number: number
  /** Without commands for terminals. */
  text: string
  pieces: readonly Piece[]
}

/** A program that shows progress goes back to the start of the line with `\r`. Only what it wrote last is shown. */
export const linesOf = (log: string): BuildLine[] =>
  withoutLastBreak(log)
    .split('\n')
    .map((line, i) => {
      const whole = line.endsWith('\r') ? line.slice(0, -1) : line
      const pieces = styledPieces(whole.slice(whole.lastIndexOf('\r') + 1))
      return { number: i + 1, pieces, text: pieces.map(({ text }) => text).join('') }
    })

const withoutLastBreak = (log: string): string => (log.endsWith('\n') ? log.slice(0, -1) : log)

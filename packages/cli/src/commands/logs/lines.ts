// Lines of a log as the API writes them: each ended by \n, with its time before it where that was asked for.
import { stripVTControlCharacters } from 'node:util'

export interface Line {
  /** RFC 3339 with nanoseconds; of one width, so that their order is the order of times. */
  stamp: string
  text: string
}

export const splitLines = (logs: string): string[] => (logs === '' ? [] : logs.replace(/\n$/, '').split('\n'))

export function stampedLines(logs: string): Line[] {
  return splitLines(logs).map(line => {
    const space = line.indexOf(' ')
    return { stamp: line.slice(0, space), text: line.slice(space + 1) }
  })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a terminal takes for a colour
const colour = /(\x1b\[[\d;]*m)/

/** Removes control characters, except colours. Visitors can write into an app's log, and must not control the terminal. */
export function forTerminal(line: string): string {
  return line
    .split(colour)
    .map((part, i) =>
      i % 2 === 1 ? part : stripVTControlCharacters(part).replace(/(?!\t)[\p{Cc}\p{Bidi_Control}]/gu, ' '),
    )
    .join('')
}

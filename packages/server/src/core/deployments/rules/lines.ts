// The lines of a file of rules. The edge reads them while requests wait, so their number is limited.
import type { Warnings } from './warnings.ts'

/** Comments and empty lines included. */
const most = 10_000

interface Lines {
  lines: string[]
  /** The text after the last line that is read. */
  unread: string
}

export function linesOf(text: string, warnings: Warnings): Lines {
  const lines = text.split('\n', most + 1)
  if (lines.length <= most) return { lines, unread: '' }
  warnings.add(most + 1, `there are more than ${most} lines`, 'This one and all after it are ignored.')
  lines.pop()
  return { lines, unread: text.slice(lines.reduce((length, line) => length + line.length + 1, 0)) }
}

// The lines of a file of rules. The edge reads them while requests wait, so there is an end to them.
import type { Warnings } from './warnings.ts'

/** Comments and empty lines included. */
const most = 10_000

export function linesOf(text: string, warnings: Warnings): string[] {
  const lines = text.split('\n', most + 1)
  if (lines.length <= most) return lines
  warnings.add(most + 1, `there are more than ${most} lines`, 'This one and all after it are ignored.')
  return lines.slice(0, most)
}

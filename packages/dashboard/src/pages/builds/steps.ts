// The steps of a build, read from its log: each begins with its title and ends with the time that it took.
import type { BuildLine } from './lines.ts'

export interface Step {
  title: string
  /** As the log says it, such as `1.4 s`; undefined where the step did not end. */
  seconds: string | undefined
  /** The number of its first line, which is its title. */
  from: number
  /** The number of its last line. */
  to: number
}

/** What the titles of steps begin with. */
const beginnings = ['Checking out ', 'Restoring ', 'Installing: ', 'Building: ', 'Saving ', 'Deploying ']
const ending = '  done in '

export function stepsOf(lines: readonly Pick<BuildLine, 'number' | 'text'>[]): Step[] {
  const steps: Step[] = []
  for (const { number, text } of lines) {
    const last = steps.at(-1)
    const open = last?.seconds === undefined ? last : undefined
    const begun = { title: text, seconds: undefined, from: number, to: number }
    if (open && text.startsWith(ending)) open.seconds = text.slice(ending.length)
    // A builder that was killed left a step without its end; the next one begins from the start.
    else if (open && text.startsWith('Checking out ')) steps.splice(0, steps.length, begun)
    else if (!open && beginnings.some(words => text.startsWith(words))) steps.push(begun)
    if (open) open.to = number
  }
  return steps
}

/** A line of the log, or the title of a step above its lines. */
type LogRow = { line: BuildLine; step?: Step }

/** The lines of a step that is not open are left out. What says how long it took is in its title. */
export function rowsOf(
  lines: readonly BuildLine[],
  steps: readonly Step[],
  isOpen: (step: Step) => boolean,
): LogRow[] {
  const rows: LogRow[] = []
  let [at, step] = [0, steps[0]]
  for (const line of lines) {
    if (step && line.number > step.to) step = steps[++at]
    if (!step || line.number < step.from) rows.push({ line })
    else if (line.number === step.from) rows.push({ line, step })
    else if (isOpen(step) && !(step.seconds !== undefined && line.number === step.to)) rows.push({ line })
  }
  return rows
}

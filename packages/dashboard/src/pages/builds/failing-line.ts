// Finds the line of a build's log that says why the build failed.
import { type BuildLine, linesOf } from './lines.ts'
import { stepsOf } from './steps.ts'

/** What compilers, bundlers and package managers begin the line with that matters. */
const first =
  /^(\[?error\b|\w*Error:|error TS\d|✘|✗|×|⨯|npm (error|ERR!)|ERR_\w+|fatal:|\S+: not found|failed to )/i
/** What they say somewhere in it. */
const any = /\berror\b|\bfailed\b|cannot find|could not resolve|unexpected token|not found/i

/** Of the step that did not end. `undefined` if its log is empty. */
export function failingLine(log: string): BuildLine | undefined {
  const lines = linesOf(log).filter(({ text }) => text.trim() !== '')
  const last = stepsOf(lines).at(-1)
  const inStep = last && last.seconds === undefined ? lines.filter(({ number }) => number > last.from) : lines
  const said = (words: RegExp) => inStep.find(({ text }) => words.test(text.trim()))
  return said(first) ?? said(any) ?? inStep.at(-1)
}

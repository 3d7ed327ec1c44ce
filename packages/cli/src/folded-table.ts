// A table whose last columns get a line of their own where the terminal is too narrow.
import { print, tableLines, width } from './output.ts'

const columnsOfTerminal = (): number =>
  process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY

/** The last column is a URL, which is never cut. */
export function printWithUrls(rows: string[][]): void {
  printFolded(rows, 1)
}

/** The last columns go together. A text at their end is cut where the line ends. */
export function printWithTexts(rows: string[][], folded: number): void {
  const columns = columnsOfTerminal()
  printFolded(rows, folded, line => (width(line) > columns ? line.slice(0, columns) : line))
}

function printFolded(rows: string[][], folded: number, cut = (line: string) => line): void {
  const lines = tableLines(rows)
  const fits = lines.every(line => width(line) <= columnsOfTerminal())
  for (const line of fits ? lines : inTwoLines(rows, folded, cut)) print(line)
}

function inTwoLines(rows: string[][], folded: number, cut: (line: string) => string): string[] {
  const below = tableLines(rows.map(row => row.slice(-folded)))
  return tableLines(rows.map(row => row.slice(0, -folded))).flatMap((line, i) =>
    below[i] ? [line, cut(`    ${below[i]}`)] : [line],
  )
}

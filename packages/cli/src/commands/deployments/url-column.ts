// A table whose last column is a URL. On a terminal that is too narrow, each URL gets a line of its own.
import { print, tableLines, width } from '../../output.ts'

export function printWithUrls(rows: string[][]): void {
  const urls = rows.map(row => row.at(-1) ?? '')
  const others = withoutEmptyColumns(rows.map(row => row.slice(0, -1)))
  const lines = tableLines(others.map((row, i) => [...row, urls[i]!]))
  const columns = process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY
  const fits = lines.every(line => width(line) <= columns)
  for (const line of fits ? lines : inTwoLines(tableLines(others), urls)) print(line)
}

const inTwoLines = (lines: string[], urls: string[]): string[] =>
  lines.flatMap((line, i) => (urls[i] ? [line, `    ${urls[i]}`] : [line]))

/** Most projects are not deployed from git, and an older platform names no author. */
const withoutEmptyColumns = (rows: string[][]): string[][] =>
  rows.map(row => row.filter((_, column) => rows.some(other => other[column] !== '')))

// A table whose last column is a URL. On a terminal that is too narrow, each URL gets a line of its own.
import { print, tableLines, width } from '../../output.ts'

export function printWithUrls(rows: string[][]): void {
  const urls = rows.map(row => row.at(-1) ?? '')
  const lines = tableLines(rows)
  const columns = process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY
  const fits = lines.every(line => width(line) <= columns)
  for (const line of fits ? lines : inTwoLines(tableLines(rows.map(row => row.slice(0, -1))), urls))
    print(line)
}

const inTwoLines = (lines: string[], urls: string[]): string[] =>
  lines.flatMap((line, i) => (urls[i] ? [line, `    ${urls[i]}`] : [line]))

// Prints results to stdout, and notices, warnings and errors to stderr. Colours are used on a terminal only.
import { stripVTControlCharacters } from 'node:util'
import { formatBytes } from '@svc/contract/bytes'
import { formatWhole } from '@svc/contract/whole-number'
import { environment } from './environment.ts'

/** A value that an answer may lack. It is shown as empty text. */
type Maybe<T> = T | null | undefined

type Style = (text: Maybe<string>) => string

const styled =
  (stream: NodeJS.WriteStream, open: number, close: number): Style =>
  text =>
    text && coloured(stream) ? `\x1b[${open}m${text}\x1b[${close}m` : (text ?? '')

// Colours need a terminal on stdout. On stderr they also need a terminal there.
const coloured = (stream: NodeJS.WriteStream) =>
  Boolean(process.stdout.isTTY && stream.isTTY) && !environment.plain()

export const bold = styled(process.stdout, 1, 22)
export const dim = styled(process.stdout, 2, 22)
export const green = styled(process.stdout, 32, 39)
export const cyan = styled(process.stdout, 36, 39)
const red = styled(process.stderr, 31, 39)
const yellow = styled(process.stderr, 33, 39)

/** The first line of what may be a long text, such as a commit message. */
export const firstLine = (text: Maybe<string>, most?: number): string =>
  clean(text?.split('\n')[0]).slice(0, most)

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

export function printJson(answer: unknown): void {
  print(JSON.stringify(answer, null, 2))
}

/** Otherwise an error of the API is one line, `svc: <message> (<code>)`, which scripts can rely on. */
export const mayAdvise = (): boolean => Boolean(process.stderr.isTTY)

export function notice(text: string): void {
  process.stderr.write(`${text}\n`)
}

export function warn(text: string): void {
  notice(`${yellow('Warning:')} ${text}`)
}

export function printError(text: string): void {
  notice(`${red('svc:')} ${text}`)
}

/** How many columns of a terminal a text takes. Colours do not count. */
export const width = (text: string): number => stripVTControlCharacters(text).length

/** Prints rows with their columns aligned. */
export function printTable(rows: string[][]): void {
  for (const line of tableLines(rows)) print(line)
}

export function tableLines(cells: string[][]): string[] {
  const rows = withoutEmptyColumns(cells)
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, i) => Math.max(widest[i] ?? 0, width(cell))),
    [],
  )
  return rows.map(row =>
    row
      .map((cell, i) => cell + ' '.repeat(widths[i]! - width(cell)))
      .join('  ')
      .trimEnd(),
  )
}

const withoutEmptyColumns = (rows: string[][]): string[][] =>
  rows.map(row => row.filter((_, column) => rows.some(other => other[column] !== '')))

/** Removes control characters from text that other people wrote, because they could control the terminal. */
export function clean(text: Maybe<string>): string {
  return stripVTControlCharacters(text ?? '').replace(/[\p{Cc}\p{Bidi_Control}]/gu, ' ')
}

/** `1 file`, `12 files`, `1,024 files` */
export function count(n: Maybe<number>, noun: string): string {
  if (typeof n !== 'number') return ''
  return `${formatWhole(n)} ${noun}${n === 1 ? '' : 's'}`
}

/** `300 B`, `1.2 KB`, `25 MB` */
export function size(bytes: Maybe<number>): string {
  return typeof bytes === 'number' ? formatBytes(bytes) : ''
}

/** `320 ms`, `4.2 s`, `1 min 5 s` */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `2026-11-15 07:38`, in UTC. */
export function minute(timestamp: Maybe<string>): string {
  const time = new Date(timestamp ?? '')
  return Number.isNaN(time.getTime()) ? '' : time.toISOString().slice(0, 16).replace('T', ' ')
}

// Reads dotenv files: the one dialect of the CLI, the dashboard and the server's settings. It is strict: a line that
// cannot be read is an error, since skipping it would drop a variable that the app needs. `$NAME` in values is not
// expanded.
import { envKeyPattern, limits, platformEnvKeys } from './limits.ts'

export interface Variable {
  key: string
  value: string
}

export class DotenvError extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`)
    this.name = 'DotenvError'
  }
}

/** Returns the variables in the order of the file. If a key occurs twice, the last value counts. */
export function parseDotenv(text: string): Variable[] {
  const found = new Map<string, string>()
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  let at = 0
  while (at < source.length) {
    const end = endOfLine(source, at)
    const [assignment, key = ''] =
      /^\s*(?:export\s+)?([^\s=#]+)[^\S\n]*=[^\S\n]*/.exec(source.slice(at, end)) ?? []
    if (assignment === undefined) {
      if (!/^\s*(#|$)/.test(source.slice(at, end)))
        throw new DotenvError(lineOf(source, at), 'is not KEY=value')
      at = end + 1
      continue
    }
    const { value, next } = readValue(source, at + assignment.length)
    const problem = variableProblem({ key, value })
    if (problem) throw new DotenvError(lineOf(source, at), problem)
    found.delete(key)
    found.set(key, value)
    at = next
  }
  return Array.from(found, ([key, value]) => ({ key, value }))
}

/** Writes a variable so that `parseDotenv` reads the same value. Other readers know single quotes best. */
export function dotenvLine({ key, value }: Variable): string {
  if (/^[\w./:@%+,=-]*$/.test(value)) return `${key}=${value}`
  if (!/['\r]/.test(value)) return `${key}='${value}'`
  const escaped = value
    .replace(/["\\$`]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
  return `${key}="${escaped}"`
}

/** Says why the API would refuse a variable. `undefined` if it accepts the variable. */
export function variableProblem({ key, value }: Variable): string | undefined {
  if (!envKeyPattern.test(key))
    return `'${key}' is not a name: use letters, digits and underscores, and begin with no digit`
  if (key.length > limits.envKey) return `'${key}' is longer than ${limits.envKey} characters`
  if (new TextEncoder().encode(value).length > limits.envValueBytes)
    return `the value of ${key} is over the limit of 64 KB`
  if (value.includes('\0')) return `the value of ${key} holds a NUL character`
  return undefined
}

/** Keys that another platform or this one sets itself. */
const injected = [
  // Linear: the expression has only alternatives of fixed words.
  new RegExp(`^(${platformEnvKeys.join('|')}|NODE_ENV)$`),
  /^(VERCEL$|VERCEL_|NEXT_PUBLIC_VERCEL_|TURBO_)/,
  /^NETLIFY/,
  /^(DEPLOY_URL|DEPLOY_PRIME_URL|DEPLOY_ID|SITE_ID|SITE_NAME|CONTEXT|COMMIT_REF|CACHED_COMMIT_REF|BUILD_ID)$/,
]

export const isInjected = (key: string): boolean => injected.some(pattern => pattern.test(key))

interface Value {
  value: string
  /** Where the next line begins. */
  next: number
}

function readValue(source: string, from: number): Value {
  const quote = source[from]
  if (quote === '"' || quote === "'" || quote === '`') return quoted(source, from, quote)
  const end = endOfLine(source, from)
  // A comment needs a space before its #, as in a shell: COLOUR=#fff and URL=https://x/#top are values.
  // The slice begins one character early, since that space may come before the value.
  const line = source.slice(from - 1, end)
  const comment = line.search(/\s#/)
  const value = comment < 0 ? line : line.slice(0, comment)
  return { value: value.slice(1).trim(), next: end + 1 }
}

/** Only double quotes have escapes. All quoted values may span lines. */
function quoted(source: string, from: number, quote: string): Value {
  const close = closingQuote(source, from, quote)
  if (close < 0) throw new DotenvError(lineOf(source, from), `the ${quote} is never closed`)
  const end = endOfLine(source, close)
  if (!/^\s*(#.*)?$/.test(source.slice(close + 1, end)))
    throw new DotenvError(lineOf(source, close), `there is more after the closing ${quote}`)
  const inside = source.slice(from + 1, close)
  return { value: quote === '"' ? withEscapes(inside) : inside, next: end + 1 }
}

function closingQuote(source: string, from: number, quote: string): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === quote) return at
    if (source[at] === '\\' && quote === '"') at++
  }
  return -1
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' }

/** An unknown escape stays as it is. */
const withEscapes = (text: string): string =>
  text.replace(/\\([\s\S])/g, (whole, char: string) => escapes[char] ?? (/["\\$`]/.test(char) ? char : whole))

function endOfLine(source: string, from: number): number {
  const end = source.indexOf('\n', from)
  return end < 0 ? source.length : end
}

const lineOf = (source: string, at: number): number => source.slice(0, at).split('\n').length

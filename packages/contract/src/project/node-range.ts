// Ranges of Node versions, as people write them in engines.node, .nvmrc and .node-version: `>=18`, `^20.19 || >=22`, `20.x`,
// `v20.11.1`, `lts/*`, `lts/iron`, `node`. Only releases count: a range never means a nightly build or a release candidate.

/** Versions from the first place, up to but not including the second. A place is a version as a number, see `placeOf`. */
type Span = readonly [from: number, to: number]

const everything: Span = [0, Number.POSITIVE_INFINITY]
const longestRange = 200

/** Names of `nvm` and others for the newest release. */
const newest = new Set(['', '*', 'x', 'node', 'latest', 'current', 'stable'])

/** The names of lines with long-term support. Even versions get it. */
const lines = [
  ...['argon', 'boron', 'carbon', 'dubnium', 'erbium', 'fermium', 'gallium', 'hydrogen', 'iron', 'jod'],
  'krypton',
]
const firstLine = 4
const lastLine = 98

/** The versions that a range means, in spans of which one must hold. `undefined` if the text is not a range. */
export function spansOf(range: string): Span[] | undefined {
  const text = range.trim().toLowerCase()
  if (text.length > longestRange) return undefined
  if (newest.has(text)) return [everything]
  if (text === 'lts' || text.startsWith('lts/')) return supported(text.slice('lts/'.length))
  const spans: Span[] = []
  for (const alternative of text.split('||')) {
    const span = spanOf(alternative)
    if (!span) return undefined
    if (span[0] < span[1]) spans.push(span)
  }
  return spans
}

/** Whether a version is in one of the spans. `22` stands for some release of this line. */
export function isIn(spans: readonly Span[], version: string): boolean {
  const [from, to] = spanOf(version) ?? [0, 0]
  return spans.some(span => Math.max(span[0], from) < Math.min(span[1], to))
}

/** For sorting: `22` comes after every release of its line that is written out. */
export const placeOfVersion = (version: string): number => (spanOf(version) ?? everything)[1]

/** The lines with long-term support: all of them, or the one of this name. */
function supported(name: string): Span[] | undefined {
  if (name === '' || name === '*') {
    const majors = Array.from({ length: (lastLine - firstLine) / 2 + 1 }, (_, i) => firstLine + 2 * i)
    return majors.map(major => [placeOf(major), placeOf(major + 1)])
  }
  const index = lines.indexOf(name)
  const major = firstLine + 2 * index
  return index < 0 ? undefined : [[placeOf(major), placeOf(major + 1)]]
}

/** All comparators of one alternative hold at once. */
function spanOf(alternative: string): Span | undefined {
  const words = withOperators(alternative.split(/\s+/).filter(Boolean))
  const [low, dash, high, more] = words
  if (dash === '-' && low && high && more === undefined) return between(low, high)
  let both = everything
  for (const word of words) {
    const span = comparator(word)
    if (!span) return undefined
    both = [Math.max(both[0], span[0]), Math.min(both[1], span[1])]
  }
  return both
}

/** Joins an operator with the version after it: `>= 18` is `>=18`. */
function withOperators(words: readonly string[]): string[] {
  const joined: string[] = []
  let operator = ''
  for (const word of words) {
    if (isOperator(word)) operator += word
    else {
      joined.push(operator + word)
      operator = ''
    }
  }
  return operator === '' ? joined : [...joined, operator]
}

const isOperator = (word: string): boolean => word in operators && word !== ''

function between(low: string, high: string): Span | undefined {
  const [from, to] = [prefixOf(low), prefixOf(high)]
  return from && to && [from.first, to.next]
}

/** What each operator makes of a version. */
const operators: Readonly<Record<string, (version: Prefix) => Span>> = {
  '': ({ first, next }) => [first, next],
  '=': ({ first, next }) => [first, next],
  '>': ({ next }) => [next, Number.POSITIVE_INFINITY],
  '>=': ({ first }) => [first, Number.POSITIVE_INFINITY],
  '<': ({ first }) => [0, first],
  '<=': ({ next }) => [0, next],
  '~': ({ first, parts: [major, minor = 0], isLine }) => [
    first,
    major === undefined ? Number.POSITIVE_INFINITY : isLine ? placeOf(major + 1) : placeOf(major, minor + 1),
  ],
  '~>': version => operators['~']!(version),
  '^': ({ first, parts: [major, minor, patch] }) => [first, afterCaret(major, minor, patch)],
}

/** The first version with another leftmost number that is not zero. */
function afterCaret(major?: number, minor?: number, patch?: number): number {
  if (major === undefined) return Number.POSITIVE_INFINITY
  if (major > 0 || minor === undefined) return placeOf(major + 1)
  if (minor > 0 || patch === undefined) return placeOf(0, minor + 1)
  return placeOf(0, 0, patch + 1)
}

function comparator(word: string): Span | undefined {
  const end = [...word].findIndex(character => !'<>=~^'.includes(character))
  const operator = end < 0 ? word : word.slice(0, end)
  const version = end < 0 ? undefined : prefixOf(word.slice(end))
  return version && Object.hasOwn(operators, operator) ? operators[operator]?.(version) : undefined
}

/** A version, or the beginning of one: `20`, `20.x`, `20.11`. */
interface Prefix {
  parts: readonly number[]
  /** Only its first number is written. */
  isLine: boolean
  first: number
  /** The first place after all versions that begin like this. */
  next: number
}

const versionPattern =
  /^v?(\d{1,3}|[x*])(?:\.(\d{1,5}|[x*]))?(?:\.(\d{1,5}|[x*]))?(-[0-9a-z.-]{1,50})?(?:\+[0-9a-z.-]{1,50})?$/

function prefixOf(text: string): Prefix | undefined {
  const match = versionPattern.exec(text)
  if (!match) return undefined
  const written = match
    .slice(1, 4)
    .map(part => (part === undefined || /[x*]/.test(part) ? undefined : Number(part)))
  const open = written.indexOf(undefined)
  const parts = written.slice(0, open < 0 ? 3 : open) as number[]
  const [major, minor, patch] = parts
  const first = placeOf(major, minor, patch)
  // No release is a candidate, so `=22.0.0-rc.1` means none, and `>22.0.0-rc.1` begins with 22.0.0.
  const isCandidate = match[4] !== undefined && parts.length === 3
  return { parts, isLine: parts.length === 1, first, next: isCandidate ? first : after(parts) }
}

function after([major, minor, patch]: readonly number[]): number {
  if (major === undefined) return Number.POSITIVE_INFINITY
  if (minor === undefined) return placeOf(major + 1)
  return patch === undefined ? placeOf(major, minor + 1) : placeOf(major, minor, patch + 1)
}

const step = 1_000_000
const placeOf = (major = 0, minor = 0, patch = 0): number => (major * step + minor) * step + patch

// The path patterns of `_redirects` and `_headers`: plain paths, `:placeholder` within a segment, `*` for anything.
// The time to match is linear in the length of the path, because rules and requests may both be hostile.

import { Segment, type Values } from './segment.ts'
import { SubstringSearch } from './substring-search.ts'

export type { Values }

export interface Pattern {
  /** Whether it is a plain path, which can be looked up in a map. */
  isStatic: boolean
  written: string
  /** Decoded, without a slash at its end. */
  text: string
  stars: number
  /** A path that it matches, with `star` in place of `*`, and with characters in place of placeholders that no rule has. */
  sample(star: string): string
  /** The values of its placeholders, with `splat` for `*`. `undefined` if the path does not match. */
  match(path: string): Values | undefined
}

/** The longest text that fits into the head of an answer. */
const longest = 16 * 1024
export const unlikely = '\u0001'

const wildcard = /(\*|:[A-Za-z]\w*)/
const placeholder = /:([A-Za-z]\w*)/g

/** A pattern, or what is wrong with it. `fold` is applied to its text, for example to ignore upper case. */
export function readPattern(written: string, fold = (text: string) => text): Pattern | string {
  if (!written.startsWith('/')) return 'a path must begin with /'
  const tokens = withoutSlash(written)
    .split(wildcard)
    .map((token, i) => (i % 2 === 0 ? fold(decoded(token)) : token))
  const names = tokens.filter((_, i) => i % 2 === 1).map(token => (token === '*' ? '*' : token.slice(1)))
  const stars = names.filter(name => name === '*').length
  const text = tokens.join('')
  const sample = (star: string) =>
    tokens.map((token, i) => (i % 2 === 0 ? token : token === '*' ? star : unlikely)).join('')
  if (names.length === 0)
    return { isStatic: true, written, text, stars, sample, match: (path: string) => equal(path, text) }
  const placeholders = names.filter(name => name !== '*')
  if (new Set(placeholders).size < placeholders.length) return 'a placeholder is used twice'
  if (stars > 0 && placeholders.includes('splat')) return ':splat stands for * and cannot be used beside it'
  if (stars > 1 && placeholders.length > 0) return 'a path with more than one * cannot have placeholders, too'
  const match = stars > 1 ? globMatcher(tokens) : segmentMatcher(tokens, stars === 1)
  return { isStatic: false, written, text, stars, sample, match }
}

const equal = (path: string, text: string): Values | undefined =>
  withoutSlash(path) === text ? {} : undefined

/** Paths are compared decoded. An escaped slash is part of its segment: it becomes NUL, which no path contains. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, escapes => {
    try {
      return decodeURIComponent(escapes.replace(/%2f/gi, '%00'))
    } catch {
      return escapes // bytes that are no UTF-8 mean themselves
    }
  })
}

/** At most one `*`: the segments before it and after it are compared one by one. */
function segmentMatcher(tokens: string[], hasStar: boolean): Pattern['match'] {
  const star = hasStar ? tokens.indexOf('*') : tokens.length
  const before = segmentsOf(tokens.slice(0, star))
  const prefix = withoutSlash(tokens[0]!)
  if (!hasStar) return path => (path.startsWith(prefix) ? matchAll(before, splitPath(path, true)) : undefined)
  const after = segmentsOf(tokens.slice(star + 1))
  const endsInStar = star === tokens.length - 2 && tokens[star + 1] === ''
  const isWhole = tokens[star - 1]!.endsWith('/') && (endsInStar || tokens[star + 1]!.startsWith('/'))
  const match = isWhole ? wholeStar(before.slice(0, -1), after.slice(1)) : partStar(before, after)
  return path => (path.startsWith(prefix) ? match(splitPath(path, !endsInStar)) : undefined)
}

/** One path is compared with many patterns in turn, and is split once. */
let lastSplit = { path: '', texts: [''] }

function splitPath(path: string, dropSlash: boolean): string[] {
  if (lastSplit.path !== path) lastSplit = { path, texts: path.split('/') }
  const { texts } = lastSplit
  return dropSlash && path.length > 1 && path.endsWith('/') ? texts.slice(0, -1) : texts
}

/** Splits at slashes, so that the first and the last segment may be empty. */
function segmentsOf(tokens: string[]): Segment[] {
  const segments: Segment[] = []
  let texts = ['']
  let names: string[] = []
  for (const [i, token] of tokens.entries()) {
    if (i % 2 === 1) {
      names.push(token.slice(1))
      texts.push('')
      continue
    }
    for (const [j, text] of token.split('/').entries()) {
      if (j > 0) {
        segments.push(new Segment(texts, names))
        texts = ['']
        names = []
      }
      texts[texts.length - 1] = text
    }
  }
  return [...segments, new Segment(texts, names)]
}

function matchAll(segments: readonly Segment[], texts: readonly string[]): Values | undefined {
  const values: Values = {}
  const isMatch =
    segments.length === texts.length && segments.every((segment, i) => segment.matches(texts[i]!, values))
  return isMatch ? values : undefined
}

/** `*` between slashes stands for any number of segments, none included: `/news/*` matches `/news`, too. */
function wholeStar(before: Segment[], after: Segment[]) {
  return (texts: string[]): Values | undefined => {
    const end = texts.length - after.length
    if (end < before.length) return undefined
    const values = matchAll([...before, ...after], [...texts.slice(0, before.length), ...texts.slice(end)])
    if (values !== undefined) values.splat = texts.slice(before.length, end).join('/')
    return values
  }
}

/** `*` beside other text, as in `/*.js`: it begins in one segment and ends in the same or a later one. */
function partStar(before: Segment[], after: Segment[]) {
  const whole = [...before.slice(0, -1), ...after.slice(1)]
  const [left, right] = [before.at(-1)!, after[0]!]
  return (texts: string[]): Values | undefined => {
    const first = before.length - 1
    const last = texts.length - after.length
    if (last < first) return undefined
    const values = matchAll(whole, [...texts.slice(0, first), ...texts.slice(last + 1)])
    if (values === undefined) return undefined
    const to = right.matchesEnd(texts[last]!, values)
    const limit = first === last ? to : texts[first]!.length
    const from = to < 0 ? -1 : left.matchesStart(texts[first]!, limit, values)
    if (from < 0) return undefined
    values.splat =
      first === last ? texts[first]!.slice(from, to) : between(texts.slice(first, last + 1), from, to)
    return values
  }
}

function between(texts: string[], from: number, to: number): string {
  return [texts[0]!.slice(from), ...texts.slice(1, -1), texts.at(-1)!.slice(0, to)].join('/')
}

/** Several `*` and no placeholders. Taking the last occurrence of each text leaves the most room to those before it. */
function globMatcher(tokens: string[]): Pattern['match'] {
  const texts = tokens.filter((_, i) => i % 2 === 0)
  const first = texts[0]!
  const last = texts.at(-1)!
  const floating = texts.slice(1, -1).map(text => new SubstringSearch(text))
  // `/*` at the end matches nothing, too.
  const isOpen = last === '' && floating.at(-1)!.text.endsWith('/')
  return written => {
    const path = last === '' ? written : withoutSlash(written)
    if (!path.startsWith(first) || !path.endsWith(last)) return undefined
    let end = path.length - last.length
    for (let i = floating.length - 1; i >= 0; i--) {
      const needle = floating[i]!
      const mayEnd = isOpen && i === floating.length - 1 && path.endsWith(needle.text.slice(0, -1))
      end = mayEnd ? path.length - needle.text.length + 1 : needle.lastIndexIn(path, end)
      if (end < first.length) return undefined
    }
    return { splat: path.slice(first.length, end) }
  }
}

/**
 * Fills the placeholders of a text; one that the pattern does not have stays as it is. A text that would grow beyond
 * `longest` characters is not made: a value may be as long as a URL, and stand in a text hundreds of times.
 */
export function fill(text: string, values: Values, encode: (value: string) => string): string | undefined {
  let length = text.length
  const filled = text.replace(placeholder, (whole, name: string) => {
    if (!Object.hasOwn(values, name) || length > longest) return whole
    const value = encode(values[name]!)
    length += value.length
    return value
  })
  return length > longest ? undefined : filled
}

export const withoutSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path

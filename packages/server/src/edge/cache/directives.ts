// Parses the header fields with cache directives: `Cache-Control` (RFC 9111, 5.2) and `CDN-Cache-Control` (RFC 9213).
import { readDictionary } from '../../lib/structured-dictionary.ts'

export interface Directives {
  has(name: string): boolean
  /**
   * The directive's value, in seconds. `undefined` if the directive is missing. A value that is not a whole number
   * counts as 0.
   */
  seconds(name: string): number | undefined
  /** Whether the directive is present and has no value. */
  isBare(name: string): boolean
}

/** The largest number of seconds. Larger values count as this one (RFC 9111, 1.2.2). */
const longest = 2 ** 31

class Values implements Directives {
  readonly #values = new Map<string, string[]>()

  add(name: string, value: string): void {
    const known = this.#values.get(name)
    if (known === undefined) this.#values.set(name, [value])
    else known.push(value)
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  /** If the directive is repeated, the smallest value counts. */
  seconds(name: string): number | undefined {
    const values = this.#values.get(name)
    return values && Math.min(longest, ...values.map(value => (/^\d+$/.test(value) ? Number(value) : 0)))
  }

  isBare(name: string): boolean {
    return this.#values.get(name)?.every(value => value === '') ?? false
  }
}

/**
 * Directives that count even if semicolons or spaces separate them. Only commas are valid, but some apps use semicolons
 * or spaces.
 */
const forbidding = new Set(['private', 'no-store', 'no-cache'])

export function readCacheControl(field: string): Directives {
  const directives = new Values()
  const parts = splitOutsideQuotes(field)
  // If a quoted string has no end, do not store the answer.
  if (parts === undefined) directives.add('no-store', '')
  for (const part of parts ?? field.split(',')) {
    const equals = part.indexOf('=')
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase()
    if (name !== '') directives.add(name, equals < 0 ? '' : argumentOf(part, equals))
    for (const word of part.includes('"') ? [] : part.toLowerCase().split(/[;\s]/))
      if (forbidding.has(word)) directives.add(word, '')
  }
  return directives
}

/**
 * Returns the value of a directive, without quotes. A space before the equals sign is invalid, so the value then gets a
 * prefix and is not read as a number.
 */
function argumentOf(part: string, equals: number): string {
  const value = part.slice(equals + 1).trimEnd()
  if (part[equals - 1] === ' ') return `invalid ${value}`
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
}

/** Splits the field at the commas outside quoted strings. Returns `undefined` if a quoted string has no end. */
function splitOutsideQuotes(field: string): string[] | undefined {
  if (!field.includes('"')) return field.split(',')
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let i = 0; i < field.length; i++) {
    const character = field[i]
    if (character === '"') isQuoted = !isQuoted
    else if (character === '\\' && isQuoted) i++
    else if (character === ',' && !isQuoted) {
      parts.push(field.slice(start, i))
      start = i + 1
    }
  }
  parts.push(field.slice(start))
  return isQuoted ? undefined : parts
}

/**
 * Parses a `CDN-Cache-Control` field. Returns `undefined` if the field is empty or malformed. `Cache-Control` then
 * applies.
 */
export function readTargeted(field: string): Directives | undefined {
  const members = readDictionary(field)
  if (members === undefined || members.size === 0) return undefined
  const directives = new Values()
  for (const [name, { type, value }] of members) {
    if (type === 'boolean') directives.add(name, '')
    else directives.add(name, type === 'integer' ? String(value) : 'invalid')
  }
  return directives
}

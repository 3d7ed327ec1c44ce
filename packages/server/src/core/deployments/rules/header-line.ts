// One header of a `_headers` rule.
import { platformHeaders } from '@svc/contract/site'

/** Set (if an earlier rule set it, joined by a comma) or remove. */
export type HeaderChange = { name: string; value: string } | { name: string; remove: true }

const nameShape = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Whether a line looks like a header. It may still be invalid. */
export function looksLikeHeader(words: string): boolean {
  const colon = words.indexOf(':')
  return words.startsWith('!') || (colon > 0 && nameShape.test(words.slice(0, colon).trimEnd()))
}

/** Reads `Name: value` or `! Name`. Returns what is wrong with any other line. */
export function readHeaderLine(words: string): HeaderChange | string {
  const colon = words.indexOf(':')
  const isRemoval = colon < 0 && /^!\s/.test(words)
  if (colon < 0 && !isRemoval) return 'the line is neither a path nor `Name: value` nor `! Name`'
  const name = (isRemoval ? words.slice(1) : words.slice(0, colon)).trim()
  const value = isRemoval ? '' : words.slice(colon + 1).trim()
  if (name === '') return 'the name of the header is missing'
  if (!nameShape.test(name)) return 'the name of the header has characters that names cannot have'
  const lower = name.toLowerCase()
  if (platformHeaders.has(lower)) return `the header ${name} is the platform's`
  if (isRemoval) return { name: lower, remove: true }
  if (value === '') return `the header ${name} has no value`
  if (/[^\t\x20-\x7e\xa0-\xff]/.test(value))
    return `the value of ${name} has characters that headers cannot carry`
  return { name: lower, value }
}

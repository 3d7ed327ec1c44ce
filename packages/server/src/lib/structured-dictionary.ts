// Parses dictionaries of structured header fields (RFC 9651). It checks the whole syntax, but keeps only bare items.

/** A number, string or token as text, or a boolean. `undefined` for other types. */
type Member = {
  readonly type: 'integer' | 'boolean' | 'other'
  readonly value: number | boolean | string
}

/** `undefined` if any part of the field is malformed. */
export function readDictionary(field: string): ReadonlyMap<string, Member> | undefined {
  const members = new Map<string, Member>()
  const text = new Cursor(field)
  text.take(/ */y)
  while (!text.isAtEnd) {
    const key = text.take(keyForm)
    const member = key === undefined ? undefined : memberAt(text)
    if (member === undefined || !skipParameters(text)) return undefined
    members.delete(key!)
    members.set(key!, member)
    text.take(/[ \t]*/y)
    if (text.isAtEnd) return members
    if (text.take(/,[ \t]*/y) === undefined || text.isAtEnd) return undefined
  }
  return members
}

const keyForm = /[a-z*][a-z0-9_.*-]*/y

/** The types of bare items, in the order in which they must be tried. */
const items: readonly [type: Member['type'], form: RegExp][] = [
  ['other', /-?\d{1,12}\.\d{1,3}(?![\d.])/y],
  ['integer', /-?\d{1,15}(?![\d.])/y],
  ['other', /"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/y],
  ['other', /[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*/y],
  ['other', /:[A-Za-z0-9+/=]*:/y],
  ['boolean', /\?[01]/y],
  ['other', /@-?\d{1,15}(?![\d.])/y],
]

function memberAt(text: Cursor): Member | undefined {
  if (text.take(/=/y) === undefined) return { type: 'boolean', value: true }
  return text.take(/\(/y) === undefined ? itemAt(text) : restOfList(text)
}

function itemAt(text: Cursor): Member | undefined {
  for (const [type, form] of items) {
    const written = text.take(form)
    if (written === undefined) continue
    if (type === 'integer') return { type, value: Number(written) }
    return { type, value: type === 'boolean' ? written === '?1' : written }
  }
  return undefined
}

function restOfList(text: Cursor): Member | undefined {
  text.take(/ */y)
  while (text.take(/\)/y) === undefined) {
    if (itemAt(text) === undefined || !skipParameters(text)) return undefined
    if (text.take(/ +/y) === undefined && !text.isAt(')')) return undefined
  }
  return { type: 'other', value: '' }
}

function skipParameters(text: Cursor): boolean {
  while (text.take(/; */y) !== undefined) {
    if (text.take(keyForm) === undefined) return false
    if (text.take(/=/y) !== undefined && itemAt(text) === undefined) return false
  }
  return true
}

/** The current position in the text. */
class Cursor {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  isAt(character: string): boolean {
    return this.#text[this.#at] === character
  }

  /** Consumes what the form matches here. `undefined` if it does not match. */
  take(form: RegExp): string | undefined {
    form.lastIndex = this.#at
    const taken = form.exec(this.#text)?.[0]
    if (taken !== undefined) this.#at += taken.length
    return taken
  }
}

// Looks up header fields by name in a head that is one string. Most fields are passed over by the length and the first
// letter of their names.
import { trimmed } from './raw-headers.ts'

/** A table of field names in lower case, and what they mean. */
export class FieldNames<Meaning> {
  readonly #meanings: ReadonlyMap<string, Meaning>
  /** At index n: the first letters of the names that have n letters, one bit per letter. */
  readonly #firstLetters = new Uint32Array(32)

  constructor(meanings: ReadonlyMap<string, Meaning>) {
    this.#meanings = meanings
    for (const name of meanings.keys()) this.#firstLetters[name.length]! |= letterBit(name, 0)
  }

  /** Returns the meaning of the name from `start` to `colon`. */
  find(text: string, start: number, colon: number): Meaning | undefined {
    if (((this.#firstLetters[colon - start] ?? 0) & letterBit(text, start)) === 0) return undefined
    return this.#meanings.get(text.slice(start, colon).toLowerCase())
  }
}

function letterBit(text: string, at: number): number {
  return 1 << ((text.charCodeAt(at) | 0x20) - 0x61)
}

/**
 * Returns the fields without those that `isKept` refuses. `isKept` is called for the fields to which `find` gives a
 * meaning. All others are kept.
 */
export function keepFields<Meaning>(
  fields: string,
  find: (text: string, start: number, colon: number) => Meaning | undefined,
  isKept: (meaning: Meaning, value: string) => boolean,
): string {
  let kept = ''
  let keptFrom = 0
  for (let at = 0; at < fields.length; ) {
    const colon = fields.indexOf(':', at)
    const end = fields.indexOf('\r', colon)
    const start = at
    at = end + 2
    const meaning = find(fields, start, colon)
    if (meaning === undefined || isKept(meaning, trimmed(fields, colon + 1, end))) continue
    kept += fields.slice(keptFrom, start)
    keptFrom = at
  }
  return keptFrom === 0 ? fields : kept + fields.slice(keptFrom)
}

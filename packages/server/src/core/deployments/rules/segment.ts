// One segment of a path pattern: text with `:placeholders` in it, such as `@:user` or `:id.html`.
import { SubstringSearch } from './substring-search.ts'

export type Values = Record<string, string>

/** `texts` surround `names`: there is one more of them, and each may be empty. */
export class Segment {
  readonly #first: string
  readonly #last: string
  readonly #needles: readonly SubstringSearch[]
  readonly #names: readonly string[]

  constructor(texts: readonly string[], names: readonly string[]) {
    this.#first = texts[0]!
    this.#last = texts.at(-1)!
    this.#needles = texts.map(text => new SubstringSearch(text))
    this.#names = names
  }

  /** Whether all of `text` is matched. Placeholders take at least one character, earlier ones as many as they can. */
  matches(text: string, values: Values): boolean {
    if (this.#names.length === 0) return text === this.#first
    if (!text.startsWith(this.#first) || !text.endsWith(this.#last)) return false
    return this.#fill(text, text.length - this.#last.length, values) === 0
  }

  /** Matches the beginning of `text`, of its first `limit` characters at most. Returns where the match ends, or -1. */
  matchesStart(text: string, limit: number, values: Values): number {
    if (!text.startsWith(this.#first)) return -1
    if (this.#names.length === 0) return this.#first.length <= limit ? this.#first.length : -1
    const last = this.#needles.at(-1)!.lastIndexIn(text, limit)
    return last >= 0 && this.#fill(text, last, values) === 0 ? last + this.#last.length : -1
  }

  /** Matches the end of `text`, as little of it as possible. Returns where the match begins, or -1. */
  matchesEnd(text: string, values: Values): number {
    if (!text.endsWith(this.#last)) return -1
    const last = text.length - this.#last.length
    return this.#names.length === 0 ? last : this.#fill(text, last, values, false)
  }

  /**
   * Fills the placeholders from the last to the first; the last one ends at `end`. Returns where the first text begins:
   * at 0 if it is anchored there. Taking the last occurrence of each text leaves the most room to those before it, so
   * that no other choice need be tried.
   */
  #fill(text: string, end: number, values: Values, isAnchored = true): number {
    for (let i = this.#names.length - 1; i >= 0; i--) {
      const needle = this.#needles[i]!
      const start = i === 0 && isAnchored ? 0 : needle.lastIndexIn(text, end - 1)
      const from = start + needle.text.length
      if (start < 0 || from >= end) return -1
      values[this.#names[i]!] = text.slice(from, end)
      end = start
    }
    return end
  }
}

// Finds the last occurrence of a text in time linear to what is searched (Knuth, Morris and Pratt, read backwards).
// The built-in lastIndexOf multiplies both lengths in the worst case, which a hostile pattern and path could choose.

/** Up to this length the built-in search is faster even in its worst case. */
const short = 8
/** Shared by all short texts, because a file of rules may have 200,000 of them. */
const noFallback = new Uint16Array(0)

export class SubstringSearch {
  readonly text: string
  /** For each length of a matched suffix: the length that still matches if the next character differs. */
  readonly #fallback: Uint16Array

  constructor(text: string) {
    this.text = text
    this.#fallback = text.length > short ? new Uint16Array(text.length + 1) : noFallback
    const last = text.length - 1
    for (let end = 1, matched = 0; end < this.#fallback.length - 1; end++) {
      const code = text.charCodeAt(last - end)
      while (matched > 0 && text.charCodeAt(last - matched) !== code) matched = this.#fallback[matched]!
      if (text.charCodeAt(last - matched) === code) matched++
      this.#fallback[end + 1] = matched
    }
  }

  /** The start of the last occurrence within the first `end` characters; -1 if there is none. */
  lastIndexIn(hay: string, end: number): number {
    const text = this.text
    const { length } = text
    if (length > end) return -1
    if (length <= short) return hay.lastIndexOf(text, end - length)
    const fallback = this.#fallback
    const last = length - 1
    let matched = 0
    for (let at = end - 1; at >= 0; at--) {
      const code = hay.charCodeAt(at)
      while (matched > 0 && text.charCodeAt(last - matched) !== code) matched = fallback[matched]!
      if (text.charCodeAt(last - matched) === code) matched++
      if (matched === length) return at
    }
    return -1
  }
}

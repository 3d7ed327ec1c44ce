// Finds the last occurrence of a text in time linear to what is searched (Knuth, Morris and Pratt, read backwards).
// The built-in lastIndexOf multiplies both lengths in the worst case, which a hostile pattern and path could choose.

export class Needle {
  readonly text: string
  /** For every length of a matched ending: how much of it is still matched after the next character differs. */
  readonly #fallback: Uint16Array

  constructor(text: string) {
    this.text = text
    this.#fallback = new Uint16Array(text.length + 1)
    for (let end = 1, matched = 0; end < text.length; end++) {
      matched = this.#step(matched, text.charCodeAt(text.length - 1 - end))
      this.#fallback[end + 1] = matched
    }
  }

  /** The start of the last occurrence within the first `end` characters; -1 if there is none. */
  lastIn(hay: string, end: number): number {
    const { length } = this.text
    if (length === 0) return end
    for (let at = end - 1, matched = 0; at >= 0; at--) {
      matched = this.#step(matched, hay.charCodeAt(at))
      if (matched === length) return at
    }
    return -1
  }

  #step(matched: number, code: number): number {
    const last = this.text.length - 1
    while (matched > 0 && this.text.charCodeAt(last - matched) !== code) matched = this.#fallback[matched]!
    return this.text.charCodeAt(last - matched) === code ? matched + 1 : 0
  }
}

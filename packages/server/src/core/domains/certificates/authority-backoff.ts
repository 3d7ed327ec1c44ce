// An authority that does not answer, or is in trouble, is left alone for a while, whichever name comes next and however
import { minute } from '../../../lib/durations.ts'

// often someone asks.

const longest = 60 * minute

export class AuthorityBackoff {
  #until = 0
  #words = ''

  startOrder(now: number, words: string, retryAfter = 0): void {
    this.#until = now + Math.min(Math.max(retryAfter, minute), longest)
    this.#words = words
  }

  /** The reason and the end of the pause. `undefined` if there is none. */
  activeAt(now: number): { words: string; until: number } | undefined {
    return now < this.#until ? { words: this.#words, until: this.#until } : undefined
  }
}

// After an error of the certificate authority, no requests are sent to it for a while, for any name.
import { minuteMs } from '@svc/contract/durations'

const longest = 60 * minuteMs

export class AuthorityBackoff {
  #until = 0
  #words = ''

  pause(now: number, words: string, retryAfter = 0): void {
    this.#until = now + Math.min(Math.max(retryAfter, minuteMs), longest)
    this.#words = words
  }

  /** The reason and the end of the pause. `undefined` if there is none. */
  activeAt(now: number): { words: string; until: number } | undefined {
    return now < this.#until ? { words: this.#words, until: this.#until } : undefined
  }
}

// Follows the body of an app's answer whose length is known.
import type { OnContent } from './chunked-body.ts'

export class LengthBody {
  bodyBytes = 0
  readonly #length: number
  readonly #onContent: OnContent

  constructor(length: number, onContent?: OnContent) {
    this.#length = length
    this.#onContent = onContent
  }

  get state(): 'open' | 'complete' {
    return this.bodyBytes === this.#length ? 'complete' : 'open'
  }

  /** Returns the index up to which the bytes belong to the body. */
  read(bytes: Buffer, start: number): number {
    const count = Math.min(this.#length - this.bodyBytes, bytes.length - start)
    this.bodyBytes += count
    if (count > 0) this.#onContent?.(bytes.subarray(start, start + count))
    return start + count
  }
}

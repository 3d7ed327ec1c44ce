// Reads a stream in pieces of a wanted length.

export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  #held: Buffer[] = []
  #heldBytes = 0
  #ended = false

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** `undefined` if the stream ends before. */
  async read(length: number): Promise<Buffer | undefined> {
    const bytes = await this.readAtMost(length)
    return bytes.length === length ? bytes : undefined
  }

  /** Shorter only at the end of the stream. */
  async readAtMost(length: number): Promise<Buffer> {
    while (this.#heldBytes < length && (await this.#fetch()));
    const all = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held)
    const rest = all.subarray(length)
    this.#held = rest.length > 0 ? [rest] : []
    this.#heldBytes = rest.length
    return all.subarray(0, length)
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#heldBytes === 0 && (await this.#fetch()));
    return this.#heldBytes === 0
  }

  /** Lets the source clean up, if it was not read to its end. */
  async close(): Promise<void> {
    if (!this.#ended) await this.#source.return?.()
  }

  async #fetch(): Promise<boolean> {
    if (this.#ended) return false
    const { done, value } = await this.#source.next()
    if (done) {
      this.#ended = true
      return false
    }
    this.#held.push(value)
    this.#heldBytes += value.length
    return true
  }
}

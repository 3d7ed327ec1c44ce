// What a client sends before the answer to its last request is complete.

/** The client is not read while more than this many bytes wait. */
const atMost = 64 * 1024
/** A shorter chunk counts as this many bytes, because keeping a chunk takes memory as well. */
const leastCounted = 256

export class EarlyBytes {
  #chunks: Buffer[] = []
  #counted = 0

  get isEmpty(): boolean {
    return this.#chunks.length === 0
  }

  get isFull(): boolean {
    return this.#counted > atMost
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#counted += Math.max(chunk.length, leastCounted)
  }

  /** Returns all bytes, and forgets them. */
  take(): Buffer {
    const bytes = Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#counted = 0
    return bytes
  }
}

// Counts what is held of answers of apps for which the clients have no room yet. A client may have 128 requests open and take nothing of
// their answers, on many connections.

const KB = 1024
const mostOfStream = 128 * KB
const mostOfConnection = 1024 * KB
const mostOfAll = 64 * 1024 * KB

let ofAll = 0

/** What is held for one connection. */
export class HeldBytes {
  #ofConnection = 0

  change(by: number): void {
    this.#ofConnection += by
    ofAll += by
  }

  /**
   * Whether no more of an answer should be read, of which `ofStream` bytes are held. An answer of which nothing is held is always read:
   * the client may have room for it, and none for the others.
   */
  isFull(ofStream: number): boolean {
    if (ofStream > mostOfStream) return true
    return ofStream > 0 && (this.#ofConnection > mostOfConnection || ofAll > mostOfAll)
  }
}

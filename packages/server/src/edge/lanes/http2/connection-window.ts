// The flow-control window of the connection: how much DATA the client accepts on all streams together (RFC 9113,
// 6.9). The lane and node:http2 share the window. node:http2 is told of only a part at a time. If the lane uses this part first, DATA
// of node:http2 waits until the client enlarges the window (`node-frames.ts`).
import { max31 } from './frames.ts'

const initialBytes = 65_535
/** The most bytes of the window that node:http2 knows of at a time. */
const shareBytes = 1024 * 1024
/** Smaller parts are not worth a WINDOW_UPDATE frame, unless node:http2 has used all that it knows of. */
const leastShare = shareBytes / 4

export class ConnectionWindow {
  #available = initialBytes
  /** How many bytes of the window node:http2 knows of and has not used. */
  #knownToNode = initialBytes

  /** How many bytes the client accepts now. */
  get available(): number {
    return this.#available
  }

  spendByLane(bytes: number): void {
    this.#available -= bytes
  }

  spendByNode(bytes: number): void {
    this.#available -= bytes
    this.#knownToNode -= bytes
  }

  /** Enlarges the window. Returns false if it would become larger than HTTP/2 allows. */
  grow(update: number): boolean {
    if (this.#available + update > max31) return false
    this.#available += update
    return true
  }

  /**
   * Returns how many more bytes node:http2 is to be told of now, and counts these as known to it. Returns 0 if it
   * knows of enough.
   */
  takeShare(): number {
    const share = Math.min(this.#available, shareBytes) - this.#knownToNode
    if (share <= 0 || (share < leastShare && this.#knownToNode > 0)) return 0
    this.#knownToNode += share
    return share
  }
}

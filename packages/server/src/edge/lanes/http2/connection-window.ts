// How much DATA the client takes on the whole connection (RFC 9113, 6.9). The lane and node:http2 share it. node:http2 is
// told of a part of it at a time, and of more when it has used that, so that the lane can count on the rest.
import { max31 } from './frames.ts'

const initialBytes = 65_535
/** What node:http2 is told of at a time. */
const shareBytes = 1024 * 1024
/** Smaller parts are not worth a frame, unless node:http2 has nothing left. */
const leastShare = shareBytes / 4

export class ConnectionWindow {
  #available = initialBytes
  /** What node:http2 believes to be available. */
  #knownToNode = initialBytes

  get available(): number {
    return this.#available
  }

  /**
   * What the lane may send. node:http2 knows of 64 KB from the start. The lane may use them as well: DATA of node:http2
   * for which there is no room then waits in memory, and is at most as much.
   */
  get forLane(): number {
    return Math.min(this.#available, this.#available - this.#knownToNode + initialBytes)
  }

  spendByLane(bytes: number): void {
    this.#available -= bytes
  }

  spendByNode(bytes: number): void {
    this.#available -= bytes
    this.#knownToNode -= bytes
  }

  /** False if the client may not grant as much. */
  grow(update: number): boolean {
    if (this.#available + update > max31) return false
    this.#available += update
    return true
  }

  /** What node:http2 is to be told of now. */
  takeShare(): number {
    const share = Math.min(this.#available, shareBytes) - this.#knownToNode
    if (share <= 0 || (share < leastShare && this.#knownToNode > 0)) return 0
    this.#knownToNode += share
    return share
  }
}

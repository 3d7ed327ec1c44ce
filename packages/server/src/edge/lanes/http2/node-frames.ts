// Follows the frames that node:http2 sends, so that the lane puts its own between them, never into one, and that DATA
// of both stays within the connection's window.
import type { ConnectionWindow } from './connection-window.ts'
import { flags, frameTypes, headerBytes, max31, payloadLength, streamId } from './frames.ts'

const blockTypes: readonly number[] = [frameTypes.headers, frameTypes.pushPromise, frameTypes.continuation]

export class NodeFrames {
  readonly #window: ConnectionWindow
  readonly #lastId: () => number
  readonly #put: (bytes: Buffer) => void
  /** Bytes of the current frame that are still to come, and whether they go to the frames that wait. */
  #left = 0
  #isWaiting = false
  /** Nothing may come between the frames of one header block. */
  #isInBlock = false
  #hasBegun = false
  #isClosing = false
  /** The start of a frame's header. */
  #rest: Buffer | undefined
  /** DATA for which the window has no room, and what came after it on any stream. */
  #waiting: Buffer[] = []
  #waitingBytes = 0

  /** `lastId` is the latest stream of the client, which node:http2 may not know. `put` sends bytes to the client. */
  constructor(window: ConnectionWindow, lastId: () => number, put: (bytes: Buffer) => void) {
    this.#window = window
    this.#lastId = lastId
    this.#put = put
  }

  /** Whether another frame may follow what was sent so far. The first frame of all is node:http2's SETTINGS. */
  get isBetween(): boolean {
    return this.#hasBegun && !this.#isInBlock && (this.#left === 0 || this.#isWaiting)
  }

  /** node:http2 said goodbye: it answers no new requests. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Takes what node:http2 writes. */
  take(written: Buffer): void {
    const bytes = this.#rest === undefined ? written : Buffer.concat([this.#rest, written])
    this.#rest = undefined
    for (let at = 0; at < bytes.length; ) {
      if (this.#left === 0 && bytes.length - at < headerBytes) {
        this.#rest = bytes.subarray(at)
        return
      }
      const size = this.#left === 0 ? this.#begin(bytes, at) : this.#left
      const part = bytes.subarray(at, at + size)
      this.#left = size - part.length
      if (this.#isWaiting) this.#keep(part)
      else this.#put(part)
      at += part.length
    }
  }

  /** Sends what waited, as far as the window has room by now. */
  release(): void {
    if (this.#waitingBytes === 0 || !this.isBetween) return
    const bytes = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    if (this.#isWaiting) this.#left = 0
    const rest = this.#rest
    this.#rest = undefined
    this.take(bytes)
    if (rest !== undefined) this.take(rest)
  }

  /** Returns the size of the frame that begins here. */
  #begin(bytes: Buffer, at: number): number {
    const length = payloadLength(bytes, at)
    const type = bytes[at + 3]!
    // What concerns no stream need not wait: an answer to a ping, a goodbye.
    this.#isWaiting = streamId(bytes, at) !== 0 && (this.#waitingBytes > 0 || this.#isTooLarge(type, length))
    if (this.#isWaiting) return headerBytes + length
    if (type === frameTypes.data) this.#window.spendByNode(length)
    if (type === frameTypes.goaway) this.#raiseLastId(bytes, at + headerBytes)
    this.#hasBegun = true
    this.#isInBlock = blockTypes.includes(type) && (bytes[at + 4]! & flags.endHeaders) === 0
    return headerBytes + length
  }

  #isTooLarge(type: number, length: number): boolean {
    return type === frameTypes.data && length > 0 && length > this.#window.available
  }

  #keep(bytes: Buffer): void {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
  }

  /** A client would take streams above the last id for unanswered, and ask again. */
  #raiseLastId(bytes: Buffer, at: number): void {
    this.#isClosing = true
    if (bytes.length - at < 4) return
    const last = bytes.readUInt32BE(at) & max31
    if (last < this.#lastId()) bytes.writeUInt32BE(this.#lastId(), at)
  }
}

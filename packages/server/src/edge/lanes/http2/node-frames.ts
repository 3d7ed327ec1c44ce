// Reads the frames that node:http2 sends, so that the lane sends its own only between these. Holds back DATA of
// node:http2 for which the connection's window has no room.
import type { ConnectionWindow } from './connection-window.ts'
import { flags, frameTypes, headerBytes, max31, payloadLength, setStreamId, streamId } from './frames.ts'

const blockTypes: readonly number[] = [frameTypes.headers, frameTypes.pushPromise, frameTypes.continuation]

interface NodeFramesParts {
  /** Returns the id of the client's latest stream, which node:http2 may not know. */
  lastId(): number
  /** Returns the client's id of a stream of node:http2. */
  clientId(nodeId: number): number
  /** Called when node:http2 resets a stream. The id is its own. */
  onReset(nodeId: number): void
  /** Sends bytes to the client. */
  put(bytes: Buffer): void
  /** Called when node:http2 acknowledges the client's SETTINGS. */
  onAcknowledged(): void
}

export class NodeFrames {
  readonly #window: ConnectionWindow
  readonly #parts: NodeFramesParts
  /** How many bytes of the current frame are still to come. */
  #left = 0
  /** Whether the current frame is held back. */
  #isWaiting = false
  /** Whether a header block is not complete yet. No other frame may come between the frames of a header block. */
  #isInBlock = false
  #hasBegun = false
  #isClosing = false
  #hasError = false
  /** The first bytes of a frame whose header has not come completely. */
  #rest: Buffer | undefined
  /** Frames that are held back: DATA for which the window has no room, and all later frames of any stream. */
  #waiting: Buffer[] = []
  #waitingBytes = 0

  constructor(window: ConnectionWindow, parts: NodeFramesParts) {
    this.#window = window
    this.#parts = parts
  }

  /**
   * Whether the lane may send a frame now: not within a frame or header block of node:http2, and not before its first
   * frame, which is SETTINGS.
   */
  get isBetween(): boolean {
    return this.#hasBegun && !this.#isInBlock && (this.#left === 0 || this.#isWaiting)
  }

  /** Whether node:http2 has sent GOAWAY. No new requests are answered after that. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  /** Whether it did so because of an error. */
  get hasError(): boolean {
    return this.#hasError
  }

  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Sends the client what node:http2 has written, or holds it back. */
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
      else this.#parts.put(part)
      at += part.length
    }
    this.#sendFittingPart()
  }

  /** Sends the frames that were held back, as far as the window now has room. */
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

  /**
   * Sends as much of the first frame that is held back as the window has room for. A client with a small window may enlarge
   * it only after that.
   */
  #sendFittingPart(): void {
    const room = this.#window.available
    if (this.#waitingBytes === 0 || room <= 0 || !this.isBetween) return
    const held = Buffer.concat(this.#waiting)
    const length = payloadLength(held, 0)
    if (held.length < headerBytes + length || length <= room || (held[4]! & flags.padded) !== 0) return
    const split = headerBytes + room
    const sent = Buffer.from(held.subarray(0, split))
    sent.writeUIntBE(room, 0, 3)
    sent[4]! &= ~flags.endStream
    const rest = Buffer.concat([held.subarray(0, headerBytes), held.subarray(split)])
    rest.writeUIntBE(length - room, 0, 3)
    this.#waiting = [rest]
    this.#waitingBytes = rest.length
    this.#window.spendByNode(room)
    this.#translateId(sent, 0)
    this.#parts.put(sent)
  }

  /** Starts to read the frame at `at`, and returns its size. Decides whether the frame is held back. */
  #begin(bytes: Buffer, at: number): number {
    const length = payloadLength(bytes, at)
    const type = bytes[at + 3]!
    // Frames without a stream, such as PING and GOAWAY, are never held back.
    this.#isWaiting = streamId(bytes, at) !== 0 && (this.#waitingBytes > 0 || this.#isTooLarge(type, length))
    if (this.#isWaiting) return headerBytes + length
    if (type === frameTypes.data) this.#window.spendByNode(length)
    if (type === frameTypes.settings && (bytes[at + 4]! & flags.ack) !== 0) this.#parts.onAcknowledged()
    if (type === frameTypes.goaway) this.#readGoaway(bytes, at + headerBytes)
    if (type === frameTypes.rstStream) this.#parts.onReset(streamId(bytes, at))
    this.#translateId(bytes, at)
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

  #translateId(bytes: Buffer, at: number): void {
    const id = streamId(bytes, at)
    const clientId = this.#parts.clientId(id)
    if (clientId !== id) setStreamId(bytes, at, clientId)
  }

  /**
   * Sets the last stream id in a GOAWAY frame to the client's latest stream. Otherwise the client would repeat
   * requests that the lane has answered.
   */
  #readGoaway(bytes: Buffer, at: number): void {
    this.#isClosing = true
    if (bytes.length - at < 8) return
    this.#hasError = bytes.readUInt32BE(at + 4) !== 0
    const last = bytes.readUInt32BE(at) & max31
    if (last !== max31) bytes.writeUInt32BE(this.#parts.lastId(), at)
  }
}

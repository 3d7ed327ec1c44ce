// Reads the client's frames. Requests are offered to the lane. Everything else goes on to node:http2, with header blocks
// written anew, since only the lane follows the client's dynamic table. After a frame that node:http2 may refuse, the lane
// answers nothing more on this connection: only node:http2 knows whether the connection goes on.
import { constants } from 'node:http2'
import { ClientSettings } from './client-settings.ts'
import type { ConnectionWindow } from './connection-window.ts'
import {
  flags,
  frameTypes,
  headerBytes,
  max31,
  maxPayload,
  payloadLength,
  preface,
  streamId,
} from './frames.ts'
import { type HeaderBlock, readHeaders } from './header-block.ts'
import { Decoder } from './hpack/decoder.ts'
import { encodeLiterally } from './hpack/encoder.ts'
import type { Field } from './hpack/field.ts'

export interface Receiver {
  /** The client has to take something before it may ask for more. */
  readonly isFull: boolean
  /** Passes bytes on to node:http2. */
  forward(bytes: Buffer): void
  /** Answers a request of which all has come; false if node:http2 has to. `room` is the window of its stream. */
  answer(id: number, fields: Field[], room: number): boolean
  /** A stream that the lane has answered was taken back. */
  resetByClient(): void
  /** The client takes more DATA on the whole connection. */
  windowGrown(): void
  /** Ends the connection with an error (RFC 9113, 7). */
  refuse(code: number): void
}

/**
 * What becomes of a frame:
 * - `forward`: it goes to node:http2, which has no objection
 * - `doubt`: it goes to node:http2, which may refuse it
 * - `done`: the lane has dealt with it
 */
type Verdict = 'forward' | 'doubt' | 'done'

/**
 * Where the connection is: before its first frames, between frames, passed on as it is because node:http2 has to end it,
 * or ended by the lane.
 */
type State = 'preface' | 'settings' | 'open' | 'broken' | 'ended'

/**
 * An invalid header block (index 0). node:http2 gets it instead of a block that the lane cannot decode, and ends the
 * connection.
 */
const unreadable = Buffer.from([0x80])

export class ClientFrames {
  readonly #receiver: Receiver
  readonly #window: ConnectionWindow
  readonly #settings = new ClientSettings()
  readonly #decoder = new Decoder()
  #state: State = 'preface'
  /** False after a frame that the lane cannot interpret with certainty. */
  #mayAnswer = true
  /** The latest stream of the client. */
  #lastId = 0
  /** The latest stream of the client that node:http2 knows. */
  #lastForwarded = 0
  /** Whose CONTINUATION frames are still to come. */
  #block: HeaderBlock | undefined
  /** Bytes of a frame that is passed on unread. */
  #passing = 0
  #hasAcknowledged = false

  constructor(receiver: Receiver, window: ConnectionWindow) {
    this.#receiver = receiver
    this.#window = window
  }

  get lastId(): number {
    return this.#lastId
  }

  /** From now on node:http2 gets every request. */
  stopAnswering(): void {
    this.#mayAnswer = false
  }

  /** Reads whole frames until the receiver is full. Returns how many bytes were read. */
  read(bytes: Buffer): number {
    let at = this.#state === 'preface' ? this.#readPreface(bytes) : 0
    while (at < bytes.length && this.#state !== 'preface' && !this.#receiver.isFull) {
      if (this.#state === 'ended') return bytes.length
      if (this.#state === 'broken') return at + this.#passAll(bytes, at)
      const count = this.#passing > 0 ? this.#pass(bytes, at) : this.#readFrame(bytes, at)
      if (count === 0) break
      at += count
    }
    return at
  }

  #readPreface(bytes: Buffer): number {
    const start = bytes.subarray(0, preface.length)
    if (!start.equals(preface.subarray(0, start.length))) this.#state = 'broken'
    if (this.#state === 'broken' || start.length < preface.length) return 0
    this.#state = 'settings'
    this.#receiver.forward(start)
    return preface.length
  }

  #pass(bytes: Buffer, at: number): number {
    const part = bytes.subarray(at, at + this.#passing)
    this.#passing -= part.length
    this.#receiver.forward(part)
    return part.length
  }

  /** Returns 0 if the frame is not whole yet. */
  #readFrame(bytes: Buffer, at: number): number {
    if (bytes.length - at < headerBytes) return 0
    const length = payloadLength(bytes, at)
    const type = bytes[at + 3]!
    if (length > maxPayload || isOutOfPlace(this.#state, type, bytes[at + 4]!)) {
      this.#break()
      return this.#passAll(bytes, at)
    }
    const id = streamId(bytes, at)
    if (this.#block !== undefined && (type !== frameTypes.continuation || id !== this.#block.id)) {
      this.#break()
      return this.#passAll(bytes, at)
    }
    if (type === frameTypes.data) return this.#startData(bytes, at, id, length)
    const size = headerBytes + length
    if (bytes.length - at < size) return 0
    const verdict = this.#judge(type, bytes, at, id)
    if (verdict === 'doubt') this.#mayAnswer = false
    if (verdict !== 'done') this.#receiver.forward(bytes.subarray(at, at + size))
    return size
  }

  #passAll(bytes: Buffer, at: number): number {
    this.#receiver.forward(bytes.subarray(at))
    return bytes.length - at
  }

  /** The connection cannot go on. node:http2 gets the rest as it comes, and says so. */
  #break(): void {
    if (this.#block !== undefined) this.#receiver.forward(this.#block.emptyFrames)
    this.#block = undefined
    this.#state = 'broken'
  }

  /** DATA may be for streams of node:http2 alone: whether it fits there, only node:http2 knows. */
  #startData(bytes: Buffer, at: number, id: number, length: number): number {
    this.#mayAnswer = false
    // It has sent END_STREAM, or never opened the stream.
    if (this.#isOfLane(id)) {
      this.#refuse(constants.NGHTTP2_STREAM_CLOSED)
      return headerBytes
    }
    this.#passing = headerBytes + length
    return this.#pass(bytes, at)
  }

  #judge(type: number, bytes: Buffer, at: number, id: number): Verdict {
    const flag = bytes[at + 4]!
    const payload = bytes.subarray(at + headerBytes, at + headerBytes + payloadLength(bytes, at))
    switch (type) {
      case frameTypes.headers:
        return this.#startBlock(bytes, at, id, flag)
      case frameTypes.continuation:
        return this.#continueBlock(payload, flag)
      case frameTypes.settings:
        return this.#readSettings(payload, id, flag)
      case frameTypes.windowUpdate:
        return this.#readWindowUpdate(payload, id)
      case frameTypes.rstStream: {
        const verdict = payload.length === 4 ? this.#ofStream(id) : 'doubt'
        if (verdict === 'done') this.#receiver.resetByClient()
        return verdict
      }
      case frameTypes.priority:
        return this.#readPriority(payload, id)
      case frameTypes.ping:
        return id === 0 && payload.length === 8 && (flag & flags.ack) === 0 ? 'forward' : 'doubt'
      case frameTypes.pushPromise:
      case frameTypes.goaway:
        return 'doubt'
      default:
        // Unknown types are ignored (RFC 9113, 4.1).
        return 'forward'
    }
  }

  #readSettings(payload: Buffer, id: number, flag: number): Verdict {
    if (id !== 0) return 'doubt'
    this.#state = 'open'
    if ((flag & flags.ack) === 0) return this.#settings.read(payload) ? 'forward' : 'doubt'
    // node:http2 sends SETTINGS once.
    const isExpected = payload.length === 0 && !this.#hasAcknowledged
    this.#hasAcknowledged = true
    return isExpected ? 'forward' : 'doubt'
  }

  #readWindowUpdate(payload: Buffer, id: number): Verdict {
    if (payload.length !== 4) return 'doubt'
    const update = payload.readUInt32BE(0) & max31
    if (update === 0) return this.#refuse(constants.NGHTTP2_PROTOCOL_ERROR)
    if (id !== 0) {
      const isTooMuch = this.#isOfLane(id) && this.#settings.initialWindow + update > max31
      return isTooMuch ? this.#refuse(constants.NGHTTP2_FLOW_CONTROL_ERROR) : this.#ofStream(id)
    }
    if (!this.#window.grow(update)) return this.#refuse(constants.NGHTTP2_FLOW_CONTROL_ERROR)
    this.#receiver.windowGrown()
    return 'done'
  }

  #readPriority(payload: Buffer, id: number): Verdict {
    if (payload.length !== 5 || id === 0 || (payload.readUInt32BE(0) & max31) === id) return 'doubt'
    return this.#isOfLane(id) ? 'done' : 'forward'
  }

  /** Of frames that mean nothing once a stream is over, and are an error before it began. */
  #ofStream(id: number): Verdict {
    if (this.#isOfLane(id)) return 'done'
    return isOfClient(id) && id <= this.#lastForwarded ? 'forward' : 'doubt'
  }

  /** node:http2 takes every stream below its latest for one that is over. It knows nothing of those above it. */
  #isOfLane(id: number): boolean {
    return isOfClient(id) && id > this.#lastForwarded && id <= this.#lastId
  }

  #startBlock(bytes: Buffer, at: number, id: number, flag: number): Verdict {
    const block = isOfClient(id) ? readHeaders(bytes, at, id) : undefined
    if (block === undefined) {
      this.#state = 'broken'
      return 'doubt'
    }
    if ((flag & flags.endHeaders) !== 0) this.#endBlock(block)
    else this.#block = block
    return 'done'
  }

  #continueBlock(payload: Buffer, flag: number): Verdict {
    const block = this.#block
    if (block === undefined || !block.add(payload)) {
      this.#break()
      return block === undefined ? 'doubt' : 'done'
    }
    if ((flag & flags.endHeaders) === 0) return 'done'
    this.#block = undefined
    this.#endBlock(block)
    return 'done'
  }

  #endBlock(block: HeaderBlock): void {
    const { id, isEndStream } = block
    const fields = this.#decoder.decode(block.bytes)
    if (fields === undefined) {
      this.#receiver.forward(block.framesWith(unreadable))
      this.#state = 'broken'
      return
    }
    if (this.#isOfLane(id)) return void this.#refuse(constants.NGHTTP2_STREAM_CLOSED)
    const isNew = id > this.#lastId
    if (isNew) this.#lastId = id
    // Trailers, and bodies, are for node:http2.
    if (!isNew || !isEndStream || block.dependsOnItself) this.#mayAnswer = false
    const room = Math.min(this.#settings.initialWindow, this.#window.forLane)
    if (this.#mayAnswer && this.#receiver.answer(id, fields, room)) return
    this.#lastForwarded = Math.max(this.#lastForwarded, id)
    this.#receiver.forward(block.framesWith(encodeLiterally(fields)))
  }

  #refuse(code: number): 'done' {
    this.#state = 'ended'
    this.#receiver.refuse(code)
    return 'done'
  }
}

const isOfClient = (id: number): boolean => (id & 1) === 1

/** The first frame is SETTINGS, and does not acknowledge anything. */
const isOutOfPlace = (state: State, type: number, flag: number): boolean =>
  state === 'settings' && (type !== frameTypes.settings || (flag & flags.ack) !== 0)

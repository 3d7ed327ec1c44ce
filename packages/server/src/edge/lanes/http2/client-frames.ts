// Reads the client's frames, and offers each request to the lane. node:http2 gets most other frames, and the requests that
// the lane does not answer. These are encoded again, because only the lane keeps the client's dynamic table. After a frame
// that node:http2 may refuse, the lane answers nothing more on this connection, since the refusal may end the connection.
import { constants } from 'node:http2'
import type { AnswerStreams } from './answer-streams.ts'
import type { ClientSettings } from './client-settings.ts'
import type { ConnectionWindow } from './connection-window.ts'
import {
  flags,
  frameTypes,
  headerBytes,
  max31,
  maxPayload,
  payloadLength,
  preface,
  setStreamId,
  streamId,
} from './frames.ts'
import { type HeaderBlock, readHeaders } from './header-block.ts'
import { Decoder } from './hpack/decoder.ts'
import { encodeLiterally } from './hpack/encoder.ts'
import type { Field } from './hpack/field.ts'
import { type HandedBody, PassedFrames, requestFrames } from './passed-frames.ts'
import type { ReceiveWindow } from './receive-window.ts'
import type { Receiver, RequestReceiver } from './receiver.ts'
import { RequestBodies } from './request-bodies.ts'
import { isOfClient, StreamIds } from './stream-ids.ts'

interface ClientFramesParts {
  receiver: Receiver
  requests: RequestReceiver
  window: ConnectionWindow
  settings: ClientSettings
  streams: AnswerStreams
  /** Counts the bodies of requests. */
  received: ReceiveWindow
}

/**
 * What happens to a frame:
 * - `forward`: it goes to node:http2, which accepts it
 * - `unclear`: it goes to node:http2, which may refuse it
 * - `done`: the lane has handled it
 */
type Verdict = 'forward' | 'unclear' | 'done'

/**
 * The state of the connection:
 * - `preface`: the client's preface has not come completely
 * - `settings`: the first frame, which must be SETTINGS, is still to come
 * - `open`: frames are read one by one
 * - `broken`: the client has made an error; node:http2 gets all further bytes unread, and ends the connection
 * - `ended`: the lane has refused the connection; further bytes are dropped
 */
type State = 'preface' | 'settings' | 'open' | 'broken' | 'ended'

/**
 * An invalid header block (index 0). node:http2 gets it in place of a block that the lane cannot decode, and then
 * ends the connection.
 */
const unreadable = Buffer.from([0x80])

export class ClientFrames {
  readonly #receiver: Receiver
  readonly #requests: RequestReceiver
  readonly #window: ConnectionWindow
  readonly #settings: ClientSettings
  readonly #streams: AnswerStreams
  readonly #decoder = new Decoder()
  #state: State = 'preface'
  /**
   * Whether the lane may still answer requests. False for good after a frame that node:http2 may refuse, and after
   * `stopAnswering`.
   */
  #mayAnswer = true
  readonly #ids: StreamIds
  /** The header block of which CONTINUATION frames are still to come, if there is one. */
  #block: HeaderBlock | undefined
  readonly #bodies: RequestBodies
  readonly #passed: PassedFrames
  #hasAcknowledged = false
  /** The client's GOAWAY, which node:http2 gets when the lane has answered what it has. */
  #goaway: Buffer | undefined

  constructor({ receiver, requests, window, settings, streams, received }: ClientFramesParts) {
    this.#receiver = receiver
    this.#requests = requests
    this.#window = window
    this.#settings = settings
    this.#streams = streams
    this.#ids = new StreamIds(streams)
    this.#passed = new PassedFrames(bytes => receiver.forward(bytes))
    this.#bodies = new RequestBodies({
      window: received,
      passWithBody: (id, fields) => requests.passWithBody(id, fields),
      answer: (id, body) => this.#mayAnswer && requests.answer(id, body.fields, body),
      leaveToNode: (id, body, isLast) => {
        this.handOver(id, body.fields, body.granted, { bytes: body.bytes, isLast })
      },
    })
  }

  get lastId(): number {
    return this.#ids.last
  }

  /** To be called when node:http2 acknowledges the client's SETTINGS. */
  settingsAcknowledged(): void {
    this.#settings.acknowledge()
    this.#streams.windowsChanged()
  }

  /** Whether a request that the lane has begun can still be handed over. */
  get mayHandOver(): boolean {
    return this.#state === 'open' && this.#ids.ofNode.hasRoom
  }

  /**
   * Hands node:http2 a request that the lane has begun. `granted`: by how much the client has enlarged the window of its stream. Returns
   * the id that node:http2 has for it.
   */
  handOver(id: number, fields: readonly Field[], granted: number, body?: HandedBody): number {
    this.#bodies.handedOver(id)
    this.#ids.handOver(id)
    const nodeId = this.#ids.ofNode.toNode(id)
    this.#passed.insert(requestFrames(nodeId, fields, granted, body))
    return nodeId
  }

  /** Hands node:http2 the requests whose bodies are late: all of them, or those that were already waiting at the last call. */
  handOverBodies(which: 'all' | 'old'): void {
    if (this.#state === 'open') this.#bodies.leaveLate(which)
  }

  /** Returns the client's id of a stream of node:http2. */
  clientId(nodeId: number): number {
    return this.#ids.ofNode.toClient(nodeId)
  }

  /** Passes frames on to node:http2 that do not come from the client. */
  insert(frames: Buffer): void {
    this.#passed.insert(frames)
  }

  /** Leaves every further request to node:http2. */
  stopAnswering(): void {
    this.#mayAnswer = false
  }

  /** Reads frames until the rest is an incomplete frame or the receiver is full. Returns how many bytes were read. */
  read(bytes: Buffer): number {
    let at = this.#state === 'preface' ? this.#readPreface(bytes) : 0
    while (at < bytes.length && this.#state !== 'preface' && !this.#receiver.isFull) {
      if (this.#state === 'ended') return bytes.length
      if (this.#state === 'broken') return at + this.#passAll(bytes, at)
      const count = this.#passed.isWithin ? this.#passed.continue(bytes, at) : this.#readFrame(bytes, at)
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

  /** Reads the frame at `at`, and returns how many bytes were read. Returns 0 if the frame has not come completely. */
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
    if (verdict === 'unclear') this.#mayAnswer = false
    if (verdict === 'done') return size
    this.#translateId(bytes, at, id)
    this.#receiver.forward(bytes.subarray(at, at + size))
    return size
  }

  #translateId(bytes: Buffer, at: number, id: number): void {
    const nodeId = this.#ids.ofNode.toNode(id)
    if (nodeId !== id) setStreamId(bytes, at, nodeId)
  }

  #passAll(bytes: Buffer, at: number): number {
    this.#receiver.forward(bytes.subarray(at))
    return bytes.length - at
  }

  /** Sets the state to `broken`. If a header block is incomplete, node:http2 first gets empty frames in its place. */
  #break(): void {
    if (this.#block !== undefined) this.#receiver.forward(this.#block.emptyFrames)
    this.#block = undefined
    this.#state = 'broken'
  }

  /**
   * Starts to forward a DATA frame, and returns how many bytes were read. The lane answers nothing after it, because
   * only node:http2 knows whether the stream may have this DATA.
   */
  #startData(bytes: Buffer, at: number, id: number, length: number): number {
    if (this.#bodies.has(id)) return this.#takeData(bytes, at, id, length)
    this.#mayAnswer = false
    // Either the client has ended this stream, and the lane has answered it, or the client never opened it.
    if (this.#ids.isOfLane(id)) {
      this.#refuse(constants.NGHTTP2_STREAM_CLOSED)
      return headerBytes
    }
    this.#translateId(bytes, at, id)
    return this.#passed.begin(bytes, at, headerBytes + length)
  }

  /** Reads a DATA frame of a request to an app, and returns how many bytes were read. */
  #takeData(bytes: Buffer, at: number, id: number, length: number): number {
    if (bytes.length - at < headerBytes + length) return 0
    const flag = bytes[at + 4]!
    const part = bytes.subarray(at + headerBytes, at + headerBytes + length)
    const isLast = (flag & flags.endStream) !== 0
    // node:http2 counts empty frames.
    const isForNode = (flag & flags.padded) !== 0 || (length === 0 && !isLast)
    const taking = isForNode ? 'left' : this.#bodies.take(id, part, isLast)
    if (taking === 'beyond') this.#refuse(constants.NGHTTP2_FLOW_CONTROL_ERROR)
    if (taking !== 'left') return headerBytes + length
    if (isForNode) this.#bodies.leave(id)
    return this.#startData(bytes, at, id, length)
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
        const verdict = payload.length === 4 ? this.#ofStream(id) : 'unclear'
        if (verdict === 'done') this.#bodies.drop(id)
        if (verdict === 'done' && this.#streams.has(id)) this.#streams.cancel(id)
        if (verdict === 'done') this.#receiver.resetByClient()
        return verdict
      }
      case frameTypes.priority:
        return this.#readPriority(payload, id)
      case frameTypes.ping:
        return id === 0 && payload.length === 8 && (flag & flags.ack) === 0 ? 'forward' : 'unclear'
      case frameTypes.goaway:
        return this.#readGoaway(bytes.subarray(at, at + headerBytes + payload.length), id)
      case frameTypes.pushPromise:
        return 'unclear'
      default:
        // node:http2 ignores frames of unknown types (RFC 9113, 4.1).
        return 'forward'
    }
  }

  #readSettings(payload: Buffer, id: number, flag: number): Verdict {
    if (id !== 0) return 'unclear'
    this.#state = 'open'
    if ((flag & flags.ack) === 0) {
      if (!this.#settings.read(payload)) return 'unclear'
      return this.#streams.hasOverflow ? this.#refuse(constants.NGHTTP2_FLOW_CONTROL_ERROR) : 'forward'
    }
    // node:http2 sends SETTINGS once, so only one acknowledgement is expected.
    const isExpected = payload.length === 0 && !this.#hasAcknowledged
    this.#hasAcknowledged = true
    return isExpected ? 'forward' : 'unclear'
  }

  /**
   * Behind a GOAWAY without an error, node:http2 reads only what its own streams need. So it gets late bodies before, and the GOAWAY after
   * the streams of the lane, which it may still have to finish.
   */
  #readGoaway(frame: Buffer, id: number): Verdict {
    const hasError = id !== 0 || frame.length < headerBytes + 8 || frame.readUInt32BE(headerBytes + 4) !== 0
    if (hasError) return 'unclear'
    this.#bodies.leaveLate('all')
    if (this.#streams.size === 0) return 'unclear'
    this.#mayAnswer = false
    this.#goaway = Buffer.from(frame)
    return 'done'
  }

  /** To be called when the lane has answered all requests that it has. */
  laneIsIdle(): void {
    if (this.#goaway === undefined) return
    // A request that is just being handed over comes before.
    setImmediate(() => {
      const goaway = this.#goaway
      if (goaway === undefined || this.#streams.size > 0 || this.#state !== 'open') return
      this.#goaway = undefined
      this.#passed.insert(goaway)
    })
  }

  #readWindowUpdate(payload: Buffer, id: number): Verdict {
    if (payload.length !== 4) return 'unclear'
    const update = payload.readUInt32BE(0) & max31
    if (update === 0) return this.#refuse(constants.NGHTTP2_PROTOCOL_ERROR)
    const body = this.#bodies.kept(id)
    if (body !== undefined) {
      body.granted += update
      const isTooMuch = this.#settings.initialWindow + body.granted > max31
      return isTooMuch ? this.#refuse(constants.NGHTTP2_FLOW_CONTROL_ERROR) : 'done'
    }
    if (id !== 0) {
      const isTooMuch = this.#streams.has(id)
        ? !this.#streams.grant(id, update)
        : this.#ids.isOfLane(id) && this.#settings.initialWindow + update > max31
      return isTooMuch ? this.#refuse(constants.NGHTTP2_FLOW_CONTROL_ERROR) : this.#ofStream(id)
    }
    if (!this.#window.grow(update)) return this.#refuse(constants.NGHTTP2_FLOW_CONTROL_ERROR)
    this.#receiver.windowGrown()
    return 'done'
  }

  #readPriority(payload: Buffer, id: number): Verdict {
    if (payload.length !== 5 || id === 0 || (payload.readUInt32BE(0) & max31) === id) return 'unclear'
    // The stream that it names would be another one for node:http2, which makes no use of priorities.
    return this.#ids.isOfLane(id) || this.#ids.ofNode.toNode(id) !== id ? 'done' : 'forward'
  }

  /**
   * Judges RST_STREAM and WINDOW_UPDATE frames of stream `id`. These are ignored on closed streams, and an error on
   * streams that were never opened.
   */
  #ofStream(id: number): Verdict {
    if (this.#bodies.has(id) || this.#ids.isOfLane(id)) return 'done'
    return this.#ids.isForwarded(id) ? 'forward' : 'unclear'
  }

  #startBlock(bytes: Buffer, at: number, id: number, flag: number): Verdict {
    const block = isOfClient(id) ? readHeaders(bytes, at, id) : undefined
    if (block === undefined) {
      this.#state = 'broken'
      return 'unclear'
    }
    if ((flag & flags.endHeaders) !== 0) this.#endBlock(block)
    else this.#block = block
    return 'done'
  }

  #continueBlock(payload: Buffer, flag: number): Verdict {
    const block = this.#block
    if (block === undefined || !block.add(payload)) {
      this.#break()
      return block === undefined ? 'unclear' : 'done'
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
    this.#bodies.leave(id)
    if (this.#ids.isOfLane(id)) return void this.#refuse(constants.NGHTTP2_STREAM_CLOSED)
    const isNew = this.#ids.open(id)
    if (isNew && !isEndStream && !block.dependsOnItself && this.#awaitBody(id, fields)) return
    // Trailers, requests with another body, and streams that depend on themselves are left to node:http2.
    if (!isNew || !isEndStream || block.dependsOnItself) this.#mayAnswer = false
    if (this.#mayAnswer && this.#requests.answer(id, fields)) return
    this.#ids.forward(id)
    this.#receiver.forward(block.withId(this.#ids.ofNode.toNode(id)).framesWith(encodeLiterally(fields)))
  }

  #awaitBody(id: number, fields: readonly Field[]): boolean {
    if (!this.#mayAnswer || !this.mayHandOver || !this.#requests.mayAwaitBody(fields)) return false
    return this.#bodies.begin(id, fields)
  }

  #refuse(code: number): 'done' {
    this.#state = 'ended'
    this.#receiver.refuse(code)
    return 'done'
  }
}

/** Whether the frame is an error in this state: the first frame must be SETTINGS without ACK. */
const isOutOfPlace = (state: State, type: number, flag: number): boolean =>
  state === 'settings' && (type !== frameTypes.settings || (flag & flags.ack) !== 0)

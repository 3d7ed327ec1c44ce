// A header block of the client: a HEADERS frame and the CONTINUATION frames after it (RFC 9113, 6.2 and 6.10).
import {
  flags,
  frameTypes,
  headerBytes,
  max31,
  maxPayload,
  payloadLength,
  writeFrameHeader,
} from './frames.ts'

/** nghttp2's own limit. Without a limit, a client could make the lane keep any number of bytes for one request. */
const mostContinuations = 8
const priorityBytes = 5

export class HeaderBlock {
  readonly id: number
  readonly isEndStream: boolean
  /** The five bytes of priority in the HEADERS frame. Empty if it has none. */
  readonly #priority: Buffer
  readonly #parts: Buffer[]

  constructor(id: number, flag: number, priority: Buffer, first: Buffer) {
    this.id = id
    this.isEndStream = (flag & flags.endStream) !== 0
    this.#priority = priority
    this.#parts = [first]
  }

  static ofRequest(id: number, hasBody: boolean): HeaderBlock {
    return new HeaderBlock(id, hasBody ? 0 : flags.endStream, noBytes, noBytes)
  }

  /**
   * Adds the payload of a CONTINUATION frame. Returns false if there are more of these frames than node:http2
   * accepts.
   */
  add(part: Buffer): boolean {
    return this.#parts.push(part) <= 1 + mostContinuations
  }

  get bytes(): Buffer {
    return this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
  }

  /** Whether the priority makes the stream depend on itself. nghttp2 ends the connection for this error. */
  get dependsOnItself(): boolean {
    return this.#priority.length > 0 && (this.#priority.readUInt32BE(0) & max31) === this.id
  }

  /** Returns the same block for another stream id, without its priority. */
  withId(id: number): HeaderBlock {
    return id === this.id
      ? this
      : new HeaderBlock(id, this.isEndStream ? flags.endStream : 0, noBytes, noBytes)
  }

  /** Returns frames for the same stream, with the same flags and priority, but with `block` as the encoded fields. */
  framesWith(block: Buffer): Buffer {
    const priority = this.#priority
    const count = Math.max(1, Math.ceil((block.length + priority.length) / maxPayload))
    const frames = Buffer.allocUnsafe(count * headerBytes + priority.length + block.length)
    const isPrior = priority.length > 0 ? flags.priority : 0
    let flag = isPrior | (this.isEndStream ? flags.endStream : 0)
    let type: number = frameTypes.headers
    let head: Buffer = priority
    for (let at = 0, from = 0; at < frames.length; ) {
      const to = Math.min(block.length, from + maxPayload - head.length)
      if (to === block.length) flag |= flags.endHeaders
      at = writeFrameHeader(frames, at, head.length + to - from, type, flag, this.id)
      at += head.copy(frames, at)
      at += block.copy(frames, at, from, to)
      from = to
      flag = 0
      type = frameTypes.continuation
      head = noBytes
    }
    return frames
  }

  /**
   * Returns one empty frame without END_HEADERS for each frame of the block so far. The block stays open for node:http2, so
   * it refuses the frame that interrupts the block.
   */
  get emptyFrames(): Buffer {
    const frames = Buffer.alloc(this.#parts.length * headerBytes)
    for (let at = 0; at < frames.length; )
      at = writeFrameHeader(
        frames,
        at,
        0,
        at === 0 ? frameTypes.headers : frameTypes.continuation,
        at === 0 && this.isEndStream ? flags.endStream : 0,
        this.id,
      )
    return frames
  }
}

const noBytes = Buffer.alloc(0)

/**
 * Reads the HEADERS frame at `at`, which has come completely. Returns undefined if its padding or priority does not
 * fit into the frame.
 */
export function readHeaders(bytes: Buffer, at: number, id: number): HeaderBlock | undefined {
  const flag = bytes[at + 4]!
  let start = at + headerBytes
  let end = start + payloadLength(bytes, at)
  if ((flag & flags.padded) !== 0) {
    if (start >= end) return undefined
    end -= bytes[start++]!
  }
  const prior = (flag & flags.priority) === 0 ? 0 : priorityBytes
  if (start + prior > end) return undefined
  return new HeaderBlock(id, flag, bytes.subarray(start, start + prior), bytes.subarray(start + prior, end))
}

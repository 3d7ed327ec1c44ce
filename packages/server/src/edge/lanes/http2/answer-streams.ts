// The streams that the lane answers, and how much of each is sent. Streams take turns, one DATA frame each, so that a large file does
// not hold up small ones. A stream waits while its window, or that of the connection, has no room (RFC 9113, 5.2).
import { dateBlock } from './answers.ts'
import type { ClientSettings } from './client-settings.ts'
import type { ConnectionWindow } from './connection-window.ts'
import { flags, frameTypes, headerBytes, max31, maxPayload, writeFrameHeader } from './frames.ts'
import { Queue } from './queue.ts'
import { StuckCheck } from './stuck-check.ts'

/** An answer to a request. */
interface StreamAnswer {
  /** The header block without the date. */
  readonly head: Buffer
  /** `bytes` bytes of it are sent. */
  readonly body: Buffer
  readonly bytes: number
  /** Called once, when the answer is sent or the client has reset its stream. `sent` is how much of the body was sent. */
  readonly onOver: ((sent: number) => void) | undefined
}

/** One object, which refers to little: with many connections, thousands of them live until it is their turn. */
class OpenStream {
  readonly id: number
  readonly head: Buffer
  readonly body: Buffer
  readonly bytes: number
  readonly onOver: StreamAnswer['onOver']
  isHeadSent = false
  sent = 0
  /** By how much the client has enlarged the window of the stream. */
  granted = 0
  /** Whether it waits for a window. It is in no queue then. */
  isBlocked = false
  isOver = false
  /** Made when it is needed first: few answers take that long. */
  stuckCheck: StuckCheck | undefined = undefined

  constructor(id: number, { head, body, bytes, onOver }: StreamAnswer) {
    this.id = id
    this.head = head
    this.body = body
    this.bytes = bytes
    this.onOver = onOver
  }
}

/** How many streams may be open. node:http2 tells the client the same limit for its own streams. */
export const mostStreams = 128
/** The longest header block that the lane sends. It goes into one frame. */
export const mostHeadBytes = 8 * 1024
/** A frame is not cut to less than this because the piece is full. */
const leastCut = 1024

export class AnswerStreams {
  readonly #window: ConnectionWindow
  readonly #settings: ClientSettings
  readonly #onIdle: () => void
  readonly #open = new Map<number, OpenStream>()
  /** The streams that may have something to send. */
  readonly #queue = new Queue<OpenStream>()
  #hasProgressed = false

  /** `onIdle` is called when the last open stream is over. */
  constructor(window: ConnectionWindow, settings: ClientSettings, onIdle: () => void) {
    this.#window = window
    this.#settings = settings
    this.#onIdle = onIdle
  }

  get size(): number {
    return this.#open.size
  }

  /** Whether a stream may have something to send now. */
  get maySend(): boolean {
    // Streams that were reset are still in the queue.
    while (this.#queue.first?.isOver) this.#queue.shift()
    return this.#queue.length > 0
  }

  has(id: number): boolean {
    return this.#open.has(id)
  }

  /** Returns whether something was sent since the last call. */
  takeProgress(): boolean {
    const had = this.#hasProgressed
    this.#hasProgressed = false
    return had
  }

  add(id: number, answer: StreamAnswer): void {
    const stream = new OpenStream(id, answer)
    this.#open.set(id, stream)
    this.#queue.push(stream)
  }

  /** Enlarges the window of a stream. Returns false if it would become larger than HTTP/2 allows. */
  grant(id: number, by: number): boolean {
    const stream = this.#open.get(id)!
    if (this.#settings.initialWindow + stream.granted - stream.sent + by > max31) return false
    stream.granted += by
    if (stream.isBlocked && this.#roomOf(stream) > 0) this.#unblock(stream)
    return true
  }

  /** To be called when the connection's window or the client's settings have changed. */
  windowsChanged(): void {
    for (const stream of this.#open.values())
      if (stream.isBlocked && this.#roomOf(stream) > 0) this.#unblock(stream)
  }

  /** Whether the latest SETTINGS make the window of a stream larger than HTTP/2 allows. */
  get hasOverflow(): boolean {
    for (const { granted, sent } of this.#open.values())
      if (this.#settings.initialWindow + granted - sent > max31) return true
    return false
  }

  /** The client has reset the stream. */
  cancel(id: number): void {
    this.#end(this.#open.get(id)!)
  }

  cancelAll(): void {
    for (const stream of this.#open.values()) this.#end(stream)
  }

  /**
   * Gives up the streams of which the client has taken nothing in several calls in a row, and returns their ids. To be called at
   * intervals.
   */
  cutStuck(): number[] {
    const stuck: OpenStream[] = []
    for (const stream of this.#open.values()) {
      stream.stuckCheck ??= new StuckCheck()
      if (stream.stuckCheck.isStuck(stream.sent + 1)) stuck.push(stream)
    }
    for (const stream of stuck) this.#end(stream)
    return stuck.map(({ id }) => id)
  }

  /** Writes frames into `into` from `at` on until it is full, or no stream has something to send. Returns where they end. */
  fill(into: Buffer, at: number): number {
    let end = at
    while (this.#queue.length > 0) {
      const stream = this.#queue.first!
      if (!stream.isOver) {
        const from = end
        if (!stream.isHeadSent) end = this.#writeHead(into, end, stream)
        if (stream.isHeadSent && !stream.isOver) end = this.#writeData(into, end, stream)
        // No room is left in `into` for this stream.
        if (end === from && !stream.isBlocked) break
      }
      this.#queue.shift()
      if (!stream.isOver && !stream.isBlocked) this.#queue.push(stream)
    }
    if (end > at) this.#hasProgressed = true
    return end
  }

  #writeHead(into: Buffer, at: number, stream: OpenStream): number {
    const { head, bytes } = stream
    const date = dateBlock()
    const length = head.length + date.length
    if (into.length - at < headerBytes + length) return at
    const flag = bytes === 0 ? flags.endHeaders | flags.endStream : flags.endHeaders
    let end = writeFrameHeader(into, at, length, frameTypes.headers, flag, stream.id)
    end += head.copy(into, end)
    end += date.copy(into, end)
    stream.isHeadSent = true
    if (bytes === 0) this.#end(stream)
    return end
  }

  #writeData(into: Buffer, at: number, stream: OpenStream): number {
    const { body, bytes } = stream
    const left = bytes - stream.sent
    const room = this.#roomOf(stream)
    if (room <= 0) {
      stream.isBlocked = true
      return at
    }
    const fitting = into.length - at - headerBytes
    const length = Math.min(left, room, maxPayload, fitting)
    if (fitting < Math.min(left, room, leastCut)) return at
    const isLast = length === left
    const start = writeFrameHeader(into, at, length, frameTypes.data, isLast ? flags.endStream : 0, stream.id)
    body.copy(into, start, stream.sent, stream.sent + length)
    stream.sent += length
    this.#window.spendByLane(length)
    if (isLast) this.#end(stream)
    return start + length
  }

  /** How many bytes of DATA may be sent on the stream. */
  #roomOf({ granted, sent }: OpenStream): number {
    return Math.min(this.#window.available, this.#settings.usableWindow + granted - sent)
  }

  #unblock(stream: OpenStream): void {
    stream.isBlocked = false
    this.#queue.push(stream)
  }

  #end(stream: OpenStream): void {
    stream.isOver = true
    this.#open.delete(stream.id)
    stream.onOver?.(stream.sent)
    if (this.#open.size === 0) this.#onIdle()
  }
}

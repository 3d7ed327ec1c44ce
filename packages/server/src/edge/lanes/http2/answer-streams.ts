// The streams that the lane answers, and how much of each is sent. Streams take turns, one DATA frame each, so that a large file does
// not hold up small ones. A stream waits while its window, or that of the connection, has no room (RFC 9113, 5.2).
import { constants } from 'node:http2'
import type { StoredFile } from '../sources.ts'
import { dateBlock } from './answers.ts'
import type { AppStream } from './app-stream.ts'
import type { BodySource } from './body-source.ts'
import type { ClientSettings } from './client-settings.ts'
import type { ConnectionWindow } from './connection-window.ts'
import { flags, frameTypes, headerBytes, max31, maxPayload, rstStream, writeFrameHeader } from './frames.ts'
import { Queue } from './queue.ts'
import { StoredBody } from './stored-body.ts'
import { StuckCheck } from './stuck-check.ts'

/** An answer to a request. */
export interface StreamAnswer {
  /** The header block without the date. */
  readonly head: Buffer
  /** `bytes` bytes of it are sent, if there is no `stored`. */
  readonly body: Buffer
  /** What is sent in place of `body`. */
  readonly stored: StoredFile | undefined
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
  source: BodySource | undefined = undefined
  isHeadSent = false
  sent = 0
  /** By how much the client has enlarged the window of the stream. */
  granted = 0
  /** Whether it waits for a window, for the storage, or for an app. It is in no queue then. */
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

const nothing: Buffer = Buffer.alloc(0)

/** The head comes from the app, and the length is known when it has ended. */
const answerOfApp: StreamAnswer = {
  ...{ head: nothing, body: nothing, stored: undefined, onOver: undefined },
  bytes: Number.POSITIVE_INFINITY,
}

/** Whether the client has taken all that the app has sent so far. */
const waitsForApp = ({ source }: OpenStream): boolean =>
  source !== undefined && !source.isSoon && !source.isEnded && source.available === 0

/** How many streams may be open. node:http2 tells the client the same limit for its own streams. */
export const mostStreams = 128
/** The longest header block that the lane sends. It goes into one frame. */
export const mostHeadBytes = 8 * 1024
/** A frame is not cut to less than this because the piece is full. */
const leastCut = 1024

export class AnswerStreams {
  readonly #window: ConnectionWindow
  readonly #settings: ClientSettings
  readonly #on: { idle(): void; ready(): void }
  readonly #open = new Map<number, OpenStream>()
  /** The streams that may have something to send. */
  readonly #queue = new Queue<OpenStream>()
  #hasProgressed = false

  /** `idle` is called when the last open stream is over, `ready` when a stream that waited for its source has something to send. */
  constructor(window: ConnectionWindow, settings: ClientSettings, on: { idle(): void; ready(): void }) {
    this.#window = window
    this.#settings = settings
    this.#on = on
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

  /** Whether something is sent without any further frame of the client: now, or when the storage has read it. */
  get hasWork(): boolean {
    if (this.maySend) return true
    for (const stream of this.#open.values())
      if (stream.isBlocked && stream.source?.isSoon && (!stream.isHeadSent || this.#roomOf(stream) > 0))
        return true
    return false
  }

  /** Whether an app has yet to begin an answer. */
  get isPassing(): boolean {
    for (const { source } of this.#open.values()) if (source?.isOpen === false && !source.isSoon) return true
    return false
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
    if (answer.stored) stream.source = new StoredBody(answer.stored, () => this.#sourceChanged(stream))
    this.#queue.push(stream)
  }

  /** Adds a stream that an app answers. */
  addOfApp(id: number, source: AppStream, granted: number): void {
    const stream = new OpenStream(id, answerOfApp)
    stream.source = source
    stream.granted = granted
    stream.isBlocked = true
    source.onChange = () => this.#sourceChanged(stream)
    this.#open.set(id, stream)
  }

  /** Gives up a stream that node:http2 will answer. Returns by how much the client has enlarged its window. */
  release(id: number): number {
    const stream = this.#open.get(id)!
    stream.isOver = true
    this.#open.delete(id)
    if (this.#open.size === 0) this.#on.idle()
    return stream.granted
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
      if (stream.stuckCheck.isStuck(waitsForApp(stream) ? 0 : stream.sent + 1)) stuck.push(stream)
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
        if (stream.source?.hasFailed) end = this.#writeReset(into, end, stream)
        else {
          if (!stream.isHeadSent) end = this.#writeHead(into, end, stream)
          if (stream.isHeadSent && !stream.isOver) end = this.#writeData(into, end, stream)
        }
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
    const { bytes, source } = stream
    if (source?.isOpen === false) {
      stream.isBlocked = true
      return at
    }
    const head = source?.block?.bytes ?? stream.head
    const date = source?.block?.hasDate ? nothing : dateBlock()
    const isLast = source?.isEnded ? source.available === 0 && source.trailers === undefined : bytes === 0
    const length = head.length + date.length
    if (into.length - at < headerBytes + length) return at
    const flag = isLast ? flags.endHeaders | flags.endStream : flags.endHeaders
    let end = writeFrameHeader(into, at, length, frameTypes.headers, flag, stream.id)
    end += head.copy(into, end)
    end += date.copy(into, end)
    stream.isHeadSent = true
    if (isLast) this.#end(stream)
    return end
  }

  /** A client may send the request again if it has received nothing of an answer. */
  #writeReset(into: Buffer, at: number, stream: OpenStream): number {
    const { NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR } = constants
    const mayRepeat = !stream.isHeadSent && stream.source?.mayRepeat
    const frame = rstStream(stream.id, mayRepeat ? NGHTTP2_REFUSED_STREAM : NGHTTP2_INTERNAL_ERROR)
    if (into.length - at < frame.length) return at
    this.#end(stream)
    return at + frame.copy(into, at)
  }

  #writeData(into: Buffer, at: number, stream: OpenStream): number {
    const { body, source, bytes } = stream
    if (source?.isEnded && source.available === 0) return this.#writeEnd(into, at, stream)
    const room = this.#roomOf(stream)
    if (room > 0 && source?.available === 0) source.readMore()
    if (source?.hasFailed) return this.#writeReset(into, at, stream)
    if (room <= 0 || source?.available === 0) {
      stream.isBlocked = true
      return at
    }
    const left = source?.isEnded ? source.available : bytes - stream.sent
    const ready = Math.min(left, source?.available ?? left)
    const fitting = into.length - at - headerBytes
    const length = Math.min(ready, room, maxPayload, fitting)
    if (fitting < Math.min(ready, room, leastCut)) return at
    const isLast = length === left && source?.trailers === undefined
    const start = writeFrameHeader(into, at, length, frameTypes.data, isLast ? flags.endStream : 0, stream.id)
    if (source) source.take(into, start, length)
    else body.copy(into, start, stream.sent, stream.sent + length)
    stream.sent += length
    this.#window.spendByLane(length)
    if (isLast) this.#end(stream)
    return start + length
  }

  /** Ends an answer all of whose DATA was sent, with its trailers if it has any. */
  #writeEnd(into: Buffer, at: number, stream: OpenStream): number {
    const { trailers } = stream.source!
    const length = trailers?.length ?? 0
    if (into.length - at < headerBytes + length) return at
    const type = trailers === undefined ? frameTypes.data : frameTypes.headers
    const flag = trailers === undefined ? flags.endStream : flags.endStream | flags.endHeaders
    const start = writeFrameHeader(into, at, length, type, flag, stream.id)
    trailers?.copy(into, start)
    this.#end(stream)
    return start + length
  }

  /** How many bytes of DATA may be sent on the stream. */
  #roomOf({ granted, sent }: OpenStream): number {
    return Math.min(this.#window.available, this.#settings.usableWindow + granted - sent)
  }

  #sourceChanged(stream: OpenStream): void {
    if (!stream.isBlocked || stream.isOver) return
    this.#unblock(stream)
    this.#on.ready()
  }

  #unblock(stream: OpenStream): void {
    stream.isBlocked = false
    this.#queue.push(stream)
  }

  #end(stream: OpenStream): void {
    stream.isOver = true
    this.#open.delete(stream.id)
    stream.source?.close()
    stream.onOver?.(stream.sent)
    if (this.#open.size === 0) this.#on.idle()
  }
}

// Compresses a body while it comes. What has come is sent at once, so that streams stay streams. Work and memory of all
// encoders together have a limit.
import { type BrotliCompress, constants, createBrotliCompress, createGzip, type Gzip } from 'node:zlib'
import type { Coding } from '../../core/deployments/archive/variants.ts'
import type { BodyEncoder, EncodedSink } from '../lanes/lanes.ts'
import { gzipAtOnce, gzipLevel, longestAtOnce } from './gzip-at-once.ts'

interface Method {
  /** The memory that one encoder takes, in bytes, as measured. */
  memory: number
  open(): BrotliCompress | Gzip
  /** Compresses a short body in one step. */
  atOnce?(body: Buffer): Buffer
}

const KB = 1024

/** Measured in docs/performance.md. Each write is flushed: it comes out at once. */
const methods: Record<Coding | 'gzip for events', Method> = {
  gzip: {
    memory: 256 * KB,
    open: () => createGzip({ level: gzipLevel, flush: constants.Z_SYNC_FLUSH }),
    atOnce: gzipAtOnce,
  },
  // Streams of events are open for long, and there may be many of them. A small window finds what their messages repeat.
  'gzip for events': {
    memory: 128 * KB,
    open: () =>
      createGzip({
        ...{ level: gzipLevel, windowBits: 12, memLevel: 4, chunkSize: 4 * KB },
        flush: constants.Z_SYNC_FLUSH,
      }),
    atOnce: gzipAtOnce,
  },
  br: {
    memory: 720 * KB,
    open: () =>
      createBrotliCompress({
        flush: constants.BROTLI_OPERATION_FLUSH,
        params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
      }),
  },
}

/** For all encoders together. When it is used up, further answers go out as they are. */
const memoryAtMost = 64 * KB * KB
let memoryUsed = 0

/** The most bytes that are compressed in one step. */
const stepBytes = 64 * KB
/** `write` returns false while this many bytes wait. */
const waitingAtMost = 128 * KB

export class Encoder implements BodyEncoder {
  readonly #method: Method
  readonly #sink: EncodedSink
  /** Opened when it is clear that the body is not compressed in one step. */
  #stream: BrotliCompress | Gzip | undefined
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #isStepping = false
  #isScheduled = false
  #isSinkFull = false
  #isEnded = false
  #isLastStep = false
  #isOver = false
  readonly #last: Buffer[] = []
  #onDrained: (() => void) | undefined

  /** Returns `undefined` if too many answers are being compressed already. */
  static open(coding: Coding, isOfEvents: boolean, sink: EncodedSink): Encoder | undefined {
    const method = methods[isOfEvents && coding === 'gzip' ? 'gzip for events' : coding]
    if (memoryUsed + method.memory > memoryAtMost) return undefined
    return new Encoder(method, sink)
  }

  private constructor(method: Method, sink: EncodedSink) {
    this.#method = method
    this.#sink = sink
    memoryUsed += method.memory
  }

  /** Returns false if the caller has to wait (`whenDrained`). */
  write(chunk: Buffer): boolean {
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    this.#schedule()
    return this.#waitingBytes < waitingAtMost
  }

  /** Calls `action` once, when there is room for more. */
  whenDrained(action: () => void): void {
    this.#onDrained = action
  }

  end(): void {
    this.#isEnded = true
    this.#schedule()
  }

  /** Ends the work without a complete body. */
  destroy(): void {
    this.#waiting = []
    if (this.#stream !== undefined) this.#stream.destroy()
    else if (!this.#isOver) this.#free()
    this.#isOver = true
  }

  /** In the next turn of the event loop: a short body and its end come in the same turn, and are compressed in one step. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#step()
    })
  }

  #step(): void {
    if (this.#isOver || this.#isStepping || this.#isSinkFull) return
    const piece = this.#take()
    const isLast = this.#isEnded && this.#waiting.length === 0
    if (piece.length === 0 && !isLast) return
    const { atOnce } = this.#method
    if (isLast && this.#stream === undefined && atOnce !== undefined && piece.length <= longestAtOnce) {
      this.destroy()
      this.#sink.end(atOnce(piece))
      return
    }
    this.#isStepping = true
    this.#isLastStep = isLast
    this.#stream ??= this.#openStream()
    if (isLast) this.#stream.end(piece)
    else this.#stream.write(piece, () => this.#onStepped())
    if (this.#waitingBytes < waitingAtMost) this.#tellDrained()
  }

  #openStream(): BrotliCompress | Gzip {
    const stream = this.#method.open()
    const sink = this.#sink
    // Emitted when the memory is free again, after `end` as well as after `destroy`.
    stream.once('close', () => this.#free())
    stream.on('data', (chunk: Buffer) => {
      if (this.#isLastStep) this.#last.push(chunk)
      else if (!sink.write(chunk)) this.#waitForSink()
    })
    stream.once('error', () => {
      this.#isOver = true
      sink.fail()
    })
    stream.once('end', () => sink.end(Buffer.concat(this.#last)))
    return stream
  }

  #free(): void {
    memoryUsed -= this.#method.memory
  }

  #onStepped(): void {
    this.#isStepping = false
    this.#step()
  }

  /** The sink may be empty again before the step is over, which has several chunks. */
  #waitForSink(): void {
    if (this.#isSinkFull) return
    this.#isSinkFull = true
    this.#sink.whenDrained(() => {
      this.#isSinkFull = false
      this.#step()
    })
  }

  /** Removes at most `stepBytes` from the bytes that wait, and returns them. */
  #take(): Buffer {
    const taken: Buffer[] = []
    let room = stepBytes
    while (room > 0 && this.#waiting.length > 0) {
      const first = this.#waiting[0]!
      taken.push(first.subarray(0, room))
      if (first.length <= room) this.#waiting.shift()
      else this.#waiting[0] = first.subarray(room)
      room -= Math.min(room, first.length)
    }
    const piece = taken.length === 1 ? taken[0]! : Buffer.concat(taken)
    this.#waitingBytes -= piece.length
    return piece
  }

  #tellDrained(): void {
    const action = this.#onDrained
    this.#onDrained = undefined
    action?.()
  }
}

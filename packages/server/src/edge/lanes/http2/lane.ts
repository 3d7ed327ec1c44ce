// The HTTP/2 lane, in front of node:http2 on the same connection. It answers requests for hot files itself, and
// writes the answers to requests that came together at once. node:http2 gets all other streams: it reads from and
// writes to this Duplex as if it were the client's socket.
import { constants } from 'node:http2'
import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { evaluateConditions } from '../../../lib/conditions.ts'
import type { Peer } from '../../../lib/received.ts'
import { readDirectly } from '../direct-reads.ts'
import type { HotAnswer, HotSource, SentFile } from '../sources.ts'
import { writeAnswer } from './answers.ts'
import { ClientFrames, type Receiver } from './client-frames.ts'
import { ConnectionWindow } from './connection-window.ts'
import { goaway, windowUpdate } from './frames.ts'
import type { Field } from './hpack/field.ts'
import { NodeFrames } from './node-frames.ts'
import { Output, WaitingFrames } from './output.ts'
import { type LaneRequest, readRequest } from './request.ts'

/** The node:http2 session on the same connection. */
interface LaneSession {
  /** Called for each answered stream that the client resets. Returns false if the client has reset too many. */
  mayReset(): boolean
  /** Ends the session with an error. */
  refuse(code: number): void
  /** Whether the session is closing, or was closed, without an error. */
  isClosed(): boolean
}

const KB = 1024
/** Larger files are left to node:http2, which interleaves them with other streams. */
const mostBody = 256 * KB
/** While this many bytes wait to be sent, no more is read from the client, and node:http2 may not write more. */
const highWater = 256 * KB

/** A client is disconnected if it has read nothing of its answers in more than this many checks in a row. */
const mostStuckChecks = 2

export class Http2Lane extends Duplex implements Peer, Receiver {
  readonly secure = true
  readonly address: string
  readonly #socket: TLSSocket
  readonly #hot: HotSource
  readonly #headBytes: number
  #session: LaneSession | undefined
  readonly #window = new ConnectionWindow()
  readonly #fromClient = new ClientFrames(this, this.#window)
  readonly #fromNode = new NodeFrames(this.#window, {
    lastId: () => this.#fromClient.lastId,
    put: bytes => this.#output.put(bytes),
    onAcknowledged: () => this.#fromClient.settingsAcknowledged(),
  })
  /** Bytes of the client that are not read yet: part of a frame, or everything that came while the lane was full. */
  #input: Buffer | undefined
  #isReading = false
  #hasEnded = false
  readonly #output: Output
  /** Whether reading has stopped because too much waits to be sent. */
  #isPaused = false
  /** Frames of the lane that wait until node:http2 has completed its current frame or header block. */
  readonly #own = new WaitingFrames()
  /** The callback of node:http2's last write. node:http2 does not write again until it is called. */
  #whenTaken: (() => void) | undefined
  #wasUsed = false
  #goodbyeCode: number = constants.NGHTTP2_INTERNAL_ERROR
  /** Whether `#sayGoodbye` was called. It sends GOAWAY only the first time. */
  #isSilent = false
  #waitingBefore = 0
  #stuckChecks = 0
  #isStuck = false

  /** Requests with a head of more than `headBytes` are left to node:http2. */
  constructor(socket: TLSSocket, hot: HotSource, headBytes: number) {
    super({ allowHalfOpen: true })
    this.#socket = socket
    this.#output = new Output(socket, () => this.#onSent())
    this.#hot = hot
    this.#headBytes = headBytes
    this.address = socket.remoteAddress ?? ''
    socket
      .on('data', chunk => this.#receive(chunk))
      .on('end', () => {
        this.#hasEnded = true
        this.#advance()
      })
      .on('error', () => this.destroy())
      .on('close', () => this.destroy())
    readDirectly(socket, chunk => this.#receive(Buffer.from(chunk)))
  }

  attach(session: LaneSession): void {
    this.#session = session
  }

  /** Returns whether the lane has answered a request since the last call. */
  takeUsed(): boolean {
    const was = this.#wasUsed
    this.#wasUsed = false
    return was
  }

  /**
   * Disconnects the client if it has read nothing of its answers in several calls in a row. To be called at
   * intervals.
   */
  cutIfStuck(): void {
    const waiting = this.#output.unsentBytes
    const isSame = waiting > 0 && waiting === this.#waitingBefore
    this.#waitingBefore = waiting
    this.#stuckChecks = isSame ? this.#stuckChecks + 1 : 0
    this.#isStuck = this.#stuckChecks > mostStuckChecks
    if (this.#isStuck) this.destroy()
  }

  get isFull(): boolean {
    return this.destroyed || this.#output.unsentBytes + this.#own.bytes >= highWater
  }

  forward(bytes: Buffer): void {
    if (this.destroyed) return
    if (!this.push(bytes)) this.#socket.pause()
  }

  answer(id: number, fields: Field[], room: number): boolean {
    if (this.#fromNode.isClosing) return false
    const request = readRequest(fields, this.#headBytes)
    if (request === undefined) return false
    const hot = this.#hot.find(request, this.secure)
    if (hot === undefined) return false
    const answer = answerTo(request, hot)
    if (answer.bytes > Math.min(room, mostBody)) return false
    this.#wasUsed = true
    this.#window.spendByLane(answer.bytes)
    writeAnswer(this.#fromNode.isBetween ? this.#output : this.#own, id, hot, answer)
    this.#hot.count(hot, request, answer, this)
    return true
  }

  resetByClient(): void {
    if (this.#session?.mayReset() === false) this.refuse(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }

  windowGrown(): void {
    this.#fromNode.release()
    this.#finishWrite()
    this.#shareWindow()
  }

  refuse(code: number): void {
    this.#fromClient.stopAnswering()
    this.#goodbyeCode = code
    this.#session?.refuse(code)
  }

  override _read(): void {
    if (!this.isFull) this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#write(chunk, done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: () => void): void {
    this.#sayGoodbye()
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#sayGoodbye()
    if (this.#isStuck) this.#socket.destroy()
    else this.#socket.destroySoon()
    done(error)
  }

  /**
   * Sends what is left, and a GOAWAY if node:http2 has sent none. node:http2 leaves out the GOAWAY if its session
   * ends during a write.
   */
  #sayGoodbye(): void {
    const isDue = this.#fromNode.isBetween && !this.#fromNode.isClosing && !this.#isSilent
    const code = this.#session?.isClosed() ? constants.NGHTTP2_NO_ERROR : this.#goodbyeCode
    if (isDue) this.#output.put(goaway(this.#fromClient.lastId, code))
    this.#isSilent = true
    this.#output.flushAll()
  }

  #receive(chunk: Buffer): void {
    this.#input = this.#input === undefined ? chunk : Buffer.concat([this.#input, chunk])
    this.#advance()
  }

  /** Reads the client's bytes until the rest is an incomplete frame or too much waits to be sent. */
  #advance(): void {
    // Forwarded bytes can make node:http2 write at once, and that may call this method again.
    if (this.#isReading) return
    this.#isReading = true
    this.#readInput()
    this.#isReading = false
    this.#output.flush()
    if (this.isFull) this.#pause()
    else if (this.#hasEnded) this.#end()
  }

  #pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  #end(): void {
    this.#hasEnded = false
    this.#goodbyeCode = constants.NGHTTP2_NO_ERROR
    this.push(null)
  }

  #readInput(): void {
    const input = this.#input
    if (input === undefined || this.isFull) return
    const count = this.#fromClient.read(input)
    this.#input = count < input.length ? input.subarray(count) : undefined
  }

  #onSent(): void {
    this.#finishWrite()
    if (!this.#isPaused || this.isFull) return
    this.#isPaused = false
    this.#socket.resume()
    this.#advance()
  }

  /** Sends the client what node:http2 has written. `done` is called when node:http2 may write again. */
  #write(bytes: Buffer, done: () => void): void {
    this.#fromNode.take(bytes)
    this.#sendOwn()
    this.#output.flush()
    this.#whenTaken = done
    this.#finishWrite()
    // Deferred, because node:http2 cannot read while it writes.
    setImmediate(() => this.#shareWindow())
  }

  /** Tells node:http2 that its write is done, unless too much still waits to be sent. */
  #finishWrite(): void {
    if (Math.max(this.#output.unsentBytes, this.#fromNode.waitingBytes) >= highWater) return
    const done = this.#whenTaken
    this.#whenTaken = undefined
    done?.()
  }

  /** Tells node:http2 of more of the connection's window, if it has used most of what it knew of. */
  #shareWindow(): void {
    const share = this.#window.takeShare()
    if (share === 0) return
    this.forward(windowUpdate(0, share))
  }

  #sendOwn(): void {
    if (this.#own.bytes === 0 || !this.#fromNode.isBetween) return
    for (const bytes of this.#own.takeAll()) this.#output.put(bytes)
    // Reading may have stopped because these frames were waiting.
    setImmediate(() => this.#advance())
  }
}

function answerTo({ method, conditions }: LaneRequest, hot: SentFile): HotAnswer {
  if (evaluateConditions(conditions, hot.representation) === 'not-modified') return { status: 304, bytes: 0 }
  return { status: 200, bytes: method === 'HEAD' ? 0 : hot.body.length }
}

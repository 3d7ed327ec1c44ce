// The HTTP/2 lane, in front of node:http2 on the same connection. It answers requests for hot files itself, passes plain requests to
// apps, and sends the answers of several streams together. node:http2 gets all other streams: it reads from and
// writes to this Duplex as if it were the client's socket.
import { constants } from 'node:http2'
import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Peer } from '../../../lib/received.ts'
import { readDirectly } from '../direct-reads.ts'
import type { BegunByLane } from '../sources.ts'
import { AnswerStreams, mostStreams } from './answer-streams.ts'
import { ClientFrames } from './client-frames.ts'
import { ClientSettings } from './client-settings.ts'
import { ConnectionWindow } from './connection-window.ts'
import { rstStream, windowUpdate } from './frames.ts'
import { Goodbye } from './goodbye.ts'
import { type Http2LaneSources, LaneRequests } from './lane-requests.ts'
import { NodeFrames } from './node-frames.ts'
import { Output } from './output.ts'
import { ReceiveWindow } from './receive-window.ts'
import type { Receiver } from './receiver.ts'
import { StuckCheck } from './stuck-check.ts'

/** The node:http2 session on the same connection. */
interface LaneSession {
  /** Called for each answered stream that the client resets. Returns false if the client has reset too many. */
  mayReset(): boolean
  /** Ends the session with an error. */
  refuse(code: number): void
  /** Whether the session is closing, or was closed, without an error. */
  isClosed(): boolean
  /** Called when the lane has answered all requests that it has. */
  onLaneIdle(): void
}

const KB = 1024
/**
 * While this many bytes wait to be sent, besides the lane's answers, no more is read from the client, and node:http2 may not write
 * more.
 */
const highWater = 256 * KB

export class Http2Lane extends Duplex implements Peer, Receiver {
  readonly secure = true
  readonly address: string
  readonly #socket: TLSSocket
  readonly #requests: LaneRequests
  #session: LaneSession | undefined
  readonly #window = new ConnectionWindow()
  readonly #settings = new ClientSettings()
  readonly #streams = new AnswerStreams(this.#window, this.#settings, {
    idle: () => {
      this.#fromClient.laneIsIdle()
      this.#session?.onLaneIdle()
    },
    ready: () => this.#output.flush(),
  })
  readonly #received = new ReceiveWindow(frame => this.#putSoon(frame))
  readonly #fromClient: ClientFrames
  readonly #fromNode = new NodeFrames(this.#window, {
    lastId: () => this.#fromClient.lastId,
    clientId: nodeId => this.#fromClient.clientId(nodeId),
    onReset: nodeId => this.takeBegun(nodeId)?.abandon(),
    put: bytes => this.#put(bytes),
    onAcknowledged: () => {
      this.#isAcknowledging = true
    },
  })
  /** Bytes of the client that are not read yet: part of a frame, or everything that came while the lane was full. */
  #input: Buffer | undefined
  #isReading = false
  #hasEnded = false
  /** Frames that wait until one of the lane may come. */
  readonly #soon: Buffer[] = []
  readonly #output: Output
  /** Whether reading has stopped because too much waits to be sent. */
  #isPaused = false
  /** The callback of node:http2's last write. node:http2 does not write again until it is called. */
  #whenTaken: (() => void) | undefined
  /** Whether the next frame of node:http2 acknowledges the client's SETTINGS. */
  #isAcknowledging = false
  /** Whether node:http2, not the lane, may use the window first the next time that the client enlarges it. */
  #isNodesTurn = true
  readonly #goodbye = new Goodbye({
    mayPut: () => this.#fromNode.isBetween && !this.#fromNode.isClosing,
    lastId: () => this.#fromClient.lastId,
    put: bytes => this.#put(bytes),
  })
  readonly #stuckCheck = new StuckCheck()
  #isStuck = false

  /** Requests with a head of more than `headBytes` are left to node:http2. */
  constructor(socket: TLSSocket, sources: Http2LaneSources, headBytes: number) {
    super({ allowHalfOpen: true })
    this.#socket = socket
    this.address = socket.remoteAddress ?? ''
    this.#output = new Output(socket, this.#streams, () => this.#onSent())
    const putFrame = (frame: Buffer) => this.#putFrame(frame)
    const shared = { streams: this.#streams, received: this.#received }
    this.#requests = new LaneRequests({
      ...shared,
      ...{ sources, peer: this, headBytes, putFrame },
      isClosing: () => this.#fromNode.isClosing,
      mayHandOver: () => this.#fromClient.mayHandOver,
      handOver: (...request) => this.#fromClient.handOver(...request),
      onRefused: () => this.resetByClient(),
    })
    this.#fromClient = new ClientFrames({
      ...shared,
      ...{ receiver: this, requests: this.#requests, window: this.#window, settings: this.#settings },
    })
    // Otherwise Node ends the connection as soon as the client has ended its side. `#end` does it after the lane's answers.
    socket.allowHalfOpen = true
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

  /** Whether the lane is answering requests. */
  get isAnswering(): boolean {
    return this.#streams.size > 0
  }

  /** Whether the requests that the lane is answering end with the session, because of an error. */
  get hasError(): boolean {
    return this.#fromNode.hasError
  }

  /** Whether apps have requests of the lane. node:http2 may have to finish them. */
  get isPassing(): boolean {
    return this.#streams.isPassing
  }

  /** Tells the client to send no further requests. Those that it has sent are still answered. */
  announceEnd(): void {
    this.#goodbye.announce()
    this.#output.flush()
  }

  /** Returns whether the lane has sent a part of an answer since the last call. */
  takeUsed(): boolean {
    return this.#streams.takeProgress()
  }

  /**
   * Disconnects the client if it has read nothing of its answers in several calls in a row, and resets the streams that it has read
   * nothing of. To be called at intervals.
   */
  cutIfStuck(): void {
    this.#isStuck = this.#stuckCheck.isStuck(this.#output.unsentBytes)
    if (this.#isStuck) this.destroy()
    else if (this.#fromNode.isBetween) this.#resetStuck()
  }

  #resetStuck(): void {
    for (const id of this.#streams.cutStuck()) this.#put(rstStream(id, constants.NGHTTP2_CANCEL))
    this.#output.flush()
  }

  get isFull(): boolean {
    // Streams that wait for a window do not count: the frame that enlarges it has to be read.
    const isBusy = this.#streams.size >= mostStreams && this.#streams.hasWork
    return this.destroyed || isBusy || this.#output.unsentBytes >= highWater
  }

  forward(bytes: Buffer): void {
    if (this.destroyed) return
    if (!this.push(bytes)) this.#socket.pause()
  }

  /** Leaves requests to node:http2 whose bodies come slowly: all of them, or those of the last call. To be called at intervals. */
  handOverBodies(which: 'all' | 'old'): void {
    this.#fromClient.handOverBodies(which)
  }

  /** Returns the request that the lane has begun, if node:http2's stream finishes one. */
  takeBegun(nodeId: number): BegunByLane | undefined {
    return this.#requests.takeBegun(nodeId)
  }

  resetByClient(): void {
    if (this.#session?.mayReset() === false) this.refuse(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }

  windowGrown(): void {
    this.#streams.windowsChanged()
    // If it is the lane's turn, `#onSent` gives node:http2 what the lane has left.
    if (this.#isNodesTurn || !this.#streams.maySend) this.#fromNode.release()
    this.#isNodesTurn = !this.#isNodesTurn
    this.#finishWrite()
    this.#shareWindow()
  }

  refuse(code: number): void {
    this.#fromClient.stopAnswering()
    this.#goodbye.code = code
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
    this.#streams.cancelAll()
    this.#requests.abandonAll()
    // node:http2 ends its session only when its last write is done. Deferred, because it may be reading.
    const whenTaken = this.#whenTaken
    if (whenTaken !== undefined) setImmediate(whenTaken)
    this.#whenTaken = undefined
    done(error)
  }

  /**
   * Sends what is left, and a GOAWAY if node:http2 has sent none. node:http2 leaves out the GOAWAY if its session
   * ends during a write.
   */
  #sayGoodbye(): void {
    if (this.#session?.isClosed()) this.#goodbye.code = constants.NGHTTP2_NO_ERROR
    const { isDue } = this.#goodbye
    if (!this.#isStuck) this.#output.flushAll()
    this.#goodbye.say(isDue)
    if (!this.#isStuck) this.#output.flushAll()
  }

  #put(bytes: Buffer): void {
    // A larger window may be used only after the acknowledgement.
    const onTaken = this.#isAcknowledging ? () => this.#fromClient.settingsAcknowledged() : undefined
    this.#isAcknowledging = false
    this.#output.put(bytes, this.#fromNode.isBetween, onTaken)
  }

  /** Sends a frame of the lane. Returns false if no such frame may come now. */
  #putFrame(frame: Buffer): boolean {
    if (this.destroyed || !this.#fromNode.isBetween) return false
    this.#put(frame)
    this.#output.flush()
    return true
  }

  #putSoon(frame: Buffer): void {
    if (!this.#putFrame(frame) && !this.destroyed) this.#soon.push(frame)
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
    this.#goodbye.announceIfDue()
    this.#output.flush()
    if (this.isFull) this.#pause()
    else if (this.#hasEnded && !this.#streams.hasWork) this.#end()
  }

  #pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  /**
   * The client has ended its side. node:http2 must not learn that from the end of this stream: it would end its side as well, and Node
   * ends the process if an answer of node:http2 goes on after that.
   */
  #end(): void {
    this.#hasEnded = false
    this.#goodbye.code = constants.NGHTTP2_NO_ERROR
    this.destroy()
  }

  #readInput(): void {
    const input = this.#input
    if (input === undefined || this.isFull) return
    const count = this.#fromClient.read(input)
    this.#input = count < input.length ? input.subarray(count) : undefined
  }

  #onSent(): void {
    this.#fromNode.release()
    this.#output.flush()
    this.#finishWrite()
    if (this.#isPaused && !this.isFull) {
      this.#isPaused = false
      this.#socket.resume()
      this.#advance()
    } else if (this.#hasEnded) this.#advance()
  }

  /** Sends the client what node:http2 has written. `done` is called when node:http2 may write again. */
  #write(bytes: Buffer, done: () => void): void {
    this.#fromNode.take(bytes)
    this.#goodbye.announceIfDue()
    for (const frame of this.#soon.splice(0)) this.#putSoon(frame)
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
    this.#fromClient.insert(windowUpdate(0, share))
  }
}

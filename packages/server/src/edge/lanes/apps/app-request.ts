// One request that the lane passes to an app, and its answer. Bytes go from socket to socket. If the answer is unusual, the
// ordinary way finishes the request.
import type { Socket } from 'node:net'
import { mayBodyFollow } from '../../../lib/keep-alive.ts'
import { unsentBytes, whenSent, writeDirectly, writeTextDirectly } from '../direct-writes.ts'
import type {
  AppAnswer,
  AppTarget,
  BegunByLane,
  Compression,
  ConnectionUser,
  SendingBody,
} from '../sources.ts'
import type { AnswerHead } from './answer-head.ts'
import type { AppClient, DirectClient } from './app-client.ts'
import { ChunkedBody } from './chunked-body.ts'
import { CompressedClient, compressedHead } from './compressed-client.ts'
import { LengthBody } from './length-body.ts'
import type { RepeatedAnswerHead } from './repeated-answer-head.ts'

interface AppRequestParts {
  client: DirectClient
  isHead: boolean
  /** The head of the answer before this one. */
  repeated: RepeatedAnswerHead
  /** Called once, when the answer is complete or the client went away. */
  onAnswered(answer: AppAnswer): void
  /**
   * Called in place of `onAnswered` if the ordinary way has to finish the request. Nothing was sent to the client. `sending` is given if
   * the app got the body as it came. The ordinary way then gets the rest of it.
   */
  onHandOver(begun: BegunByLane, sending: SendingBody | undefined): void
}

const nothing: Buffer = Buffer.alloc(0)

/** The client is not read while more than this many bytes of a body wait for the app. */
const untakenBytes = 128 * 1024

export class AppRequest implements ConnectionUser {
  readonly #target: AppTarget
  readonly #app: Socket
  readonly #parts: AppRequestParts
  /** What receives the answer: the client, or what compresses it for the client. */
  #client: AppClient
  /** The body, if it did not come with the head. */
  #sending: { leftBytes: number } | undefined
  /** Bytes of the answer that were read, but not understood yet. */
  #held = nothing
  /** `undefined` until the whole head of the answer has come. */
  #head: AnswerHead | undefined
  #body: LengthBody | ChunkedBody | undefined
  /** Whether the app has nothing more to do with the request. */
  #hasLeft = false
  #isOver = false

  constructor(target: AppTarget, parts: AppRequestParts) {
    this.#target = target
    this.#parts = parts
    this.#client = parts.client
    this.#app = target.connection.socket
  }

  /** Whether the answer is complete, was given up or handed over. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether a part of the answer was sent to the client. */
  get hasBegun(): boolean {
    return this.#head !== undefined
  }

  /** Sends the request, with what has come of its body. The other `leftBytes` follow with `sendMore`. */
  send(body: Buffer, leftBytes = 0): void {
    if (leftBytes > 0) this.#sending = { leftBytes }
    const { head, connection } = this.#target
    connection.use(this)
    this.#setTimeout(connection.timeouts.answer)
    if (body.length === 0) writeTextDirectly(this.#app, head)
    else this.#app.write(Buffer.concat([Buffer.from(head, 'latin1'), body]))
  }

  /** How many bytes of the body are still to be sent. */
  get leftBytes(): number {
    return this.#sending?.leftBytes ?? 0
  }

  /** Sends the next part of the body. Its memory may be used again. */
  sendMore(part: Buffer): void {
    this.#sending!.leftBytes -= part.length
    writeDirectly(this.#app, Buffer.from(part))
  }

  /** Whether the app has to take what was sent before more is sent. */
  get isAppFull(): boolean {
    return unsentBytes(this.#app) > untakenBytes
  }

  /** Calls `action` once, when the app has taken what was sent. */
  whenTaken(action: () => void): void {
    whenSent(this.#app, action)
  }

  /** Ends the request, because the client went away. */
  cancel(): void {
    if (this.#isOver) return
    // The app may have processed the request all the same.
    if (this.#head === undefined) this.#target.invalidate?.()
    if (!this.#hasLeft) {
      this.#leave()
      this.#app.destroy()
    }
    if (this.#client instanceof CompressedClient) this.#client.destroy()
    this.#reportAnswer(this.#head?.status ?? 0)
  }

  /** Lets the ordinary way finish the request. Nothing of the answer was sent to the client yet. */
  handOver(): void {
    this.#handOver(this.#held)
  }

  #handOver(answer: Buffer | 'closed' | 'timed out'): void {
    const sending = this.#sending
    this.#leave()
    this.#isOver = true
    this.#parts.onHandOver(this.#target.handOver(answer, sending), sending)
  }

  onData(chunk: Buffer): void {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = nothing
    if (this.leftBytes > 0) this.#onEarlyAnswer(bytes)
    else if (this.#head === undefined) this.#readHead(bytes)
    else this.#passBody(bytes, 0)
  }

  /** The app closed the connection before the answer was complete. */
  onEnd(): void {
    if (this.#head === undefined) this.#fail('closed')
    else this.#abort()
  }

  onTimeout(): void {
    // An app that waits for the body is not late.
    if (this.leftBytes > 0 && unsentBytes(this.#app) === 0) return
    if (this.#head === undefined) this.#fail('timed out')
    // An app that waits for a slow client is not late.
    else if (!this.#app.isPaused()) this.#abort()
  }

  /** The app answers before it has the whole body. */
  #onEarlyAnswer(bytes: Buffer): void {
    this.#held = Buffer.from(bytes)
    this.handOver()
  }

  #readHead(bytes: Buffer): void {
    const head = this.#parts.repeated.read(bytes, this.#target)
    const sent = typeof head === 'object' ? this.#prepare(head) : undefined
    if (typeof head === 'object' && sent !== undefined) {
      this.#head = head
      if (head.status < 400) this.#target.invalidate?.()
      this.#passBody(bytes, head.headBytes, sent)
    } else {
      this.#held = Buffer.from(bytes)
      if (head !== 'incomplete') this.handOver()
    }
  }

  /**
   * Prepares to read the body, by length or by chunks, and to compress it. Returns the head that the client receives. `undefined` if
   * the ordinary way has to read the answer.
   */
  #prepare(head: AnswerHead): AnswerHead | undefined {
    if (!this.#isPassable(head)) return undefined
    const compression = this.#target.compressionOf(head)
    if (compression === 'ordinary') return undefined
    const { status, length, isChunked } = head
    const isEmpty = this.#parts.isHead || status === 204 || status === 304
    if (!isEmpty && compression !== undefined) this.#client = this.#compressed(compression)
    const client = this.#client
    const onContent = client.takesContent ? (part: Buffer) => client.writeContent(part) : undefined
    const isOfLength = isEmpty || !isChunked
    this.#body = isOfLength ? new LengthBody(isEmpty ? 0 : length!, onContent) : new ChunkedBody(onContent)
    const isCompressed = isEmpty || client !== this.#parts.client
    return compression !== undefined && isCompressed ? compressedHead(head, compression) : head
  }

  #isPassable({ status, length, isChunked, hasLocation }: AnswerHead): boolean {
    // The ordinary way drops the cache entries of that location as well.
    if (hasLocation && this.#target.invalidate !== undefined) return false
    if (status === 204 && length !== undefined) return false
    // node:http2 leaves out its content, and node:http does not.
    if (status === 205) return false
    const isEmpty = this.#parts.isHead || status === 204 || status === 304
    return isEmpty || isChunked || length !== undefined
  }

  /** The client as it is if too many answers are being compressed already. */
  #compressed(compression: Compression): AppClient {
    const { client } = this.#parts
    const onSent = () => this.#reportAnswer(this.#head!.status)
    return CompressedClient.open(compression, { client, onSent, onFailed: () => this.#abort() }) ?? client
  }

  /** Sends `head`, if it is given, and the part of the body that begins at `start`. */
  #passBody(bytes: Buffer, start: number, head?: AnswerHead): void {
    const client = this.#client
    const body = this.#body!
    const end = body.read(bytes, start)
    if (head !== undefined)
      client.begin(head, this.#target, bytes.subarray(start, end), body instanceof ChunkedBody)
    else if (end > start) client.writeFramed(bytes.subarray(start, end))
    const rest = end === bytes.length ? nothing : Buffer.from(bytes.subarray(end))
    if (body.state === 'open') {
      this.#held = rest
      this.#setTimeout(this.#target.connection.timeouts.idle)
      this.#waitForClient()
    } else if (body.state === 'complete') {
      client.end()
      this.#complete(rest.length === 0)
    } else if (body.state === 'unusual') this.#passRestOfChunks(rest, body as ChunkedBody)
    else this.#abort()
  }

  /** Stops reading from the app while too many bytes wait to be sent to the client. */
  #waitForClient(): void {
    const client = this.#client
    if (!client.isFull || this.#app.isPaused()) return
    this.#app.pause()
    client.whenDrained(() => {
      if (this.#hasLeft) return
      this.#app.resume()
      // The time may have run out while the app waited, and it is started anew only when bytes come.
      this.#app.setTimeout(this.#target.connection.timeouts.idle)
    })
  }

  /** `isAlone`: the app has sent nothing after the answer. */
  #complete(isAlone: boolean): void {
    this.#leave()
    if (isAlone && this.#isReusable(this.#head!)) {
      if (this.#app.isPaused()) this.#app.resume()
      this.#target.connection.keep(this.#head!.reuseMs)
    } else this.#app.destroy()
    this.#onWhole()
  }

  /** The whole answer has come. What compresses it says later that it was sent. */
  #onWhole(): void {
    if (this.#client === this.#parts.client) this.#reportAnswer(this.#head!.status)
  }

  #isReusable({ isReusable, status, length, isChunked }: AnswerHead): boolean {
    const announcesBody = isChunked || (length !== undefined && length > 0)
    return isReusable && !mayBodyFollow(this.#parts.isHead, status, announcesBody)
  }

  #abort(): void {
    this.#client.abort()
    this.cancel()
  }

  #fail(why: 'closed' | 'timed out'): void {
    this.#app.destroy()
    this.#handOver(why)
  }

  #passRestOfChunks(bytes: Buffer, body: ChunkedBody): void {
    const client = this.#client
    this.#target.passRestOfChunks(bytes, {
      client,
      onData: chunk => {
        body.bodyBytes += chunk.length
        client.writeContent(chunk)
      },
      onEnd: trailers => {
        if (trailers === undefined) return this.#abort()
        client.end(trailers)
        this.#leave()
        this.#onWhole()
      },
    })
  }

  #reportAnswer(status: number): void {
    this.#isOver = true
    const sent = this.#client instanceof CompressedClient ? this.#client : this.#body
    const bytes = sent?.bodyBytes ?? 0
    this.#parts.onAnswered({ status, bytes, isHtml: this.#head?.isHtml })
  }

  #leave(): void {
    this.#hasLeft = true
    this.#target.connection.leave()
  }

  /** The socket restarts the time whenever bytes are read or written. */
  #setTimeout(ms: number): void {
    if (this.#app.timeout !== ms) this.#app.setTimeout(ms)
  }
}

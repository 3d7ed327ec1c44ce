// One request that the lane passes to an app, and its answer. Bytes go from socket to socket. If the answer is unusual, the
// ordinary way finishes the request.
import type { Socket } from 'node:net'
import { mayBodyFollow } from '../../../lib/keep-alive.ts'
import { strictTransport } from '../../../lib/platform-fields.ts'
import { writeDirectly, writeTextDirectly } from '../direct-writes.ts'
import { httpDate } from '../http-date.ts'
import type { AppAnswer, AppTarget, BegunByLane, ConnectionUser } from '../sources.ts'
import type { AnswerHead, SentHead } from './answer-head.ts'
import { ChunkedBody } from './chunked-body.ts'
import type { RepeatedAnswerHead } from './repeated-answer-head.ts'

interface AppRequestParts {
  client: Socket
  isHead: boolean
  isSecure: boolean
  /** Fields for the client's connection, one per line. */
  connectionFields: string
  /** The head of the answer before this one. */
  repeated: RepeatedAnswerHead
  /** Called once, when the answer is complete or the client went away. */
  onAnswered(answer: AppAnswer): void
  /** Called in place of `onAnswered` if the ordinary way has to finish the request. Nothing was sent to the client. */
  onHandOver(begun: BegunByLane): void
}

/** The app is not read while more than this many bytes wait to be sent to the client. */
const unsentBytes = 128 * 1024

const nothing: Buffer = Buffer.alloc(0)
const strictTransportLine = `${strictTransport.join(': ')}\r\n`

export class AppRequest implements ConnectionUser {
  readonly #target: AppTarget
  readonly #app: Socket
  readonly #parts: AppRequestParts
  /** Bytes of the answer that were read, but not understood yet. */
  #held = nothing
  /** `undefined` until the whole head of the answer has come. */
  #head: AnswerHead | undefined
  #body: LengthBody | ChunkedBody | undefined
  #isOver = false

  constructor(target: AppTarget, parts: AppRequestParts) {
    this.#target = target
    this.#parts = parts
    this.#app = target.connection.socket
  }

  /** Whether a part of the answer was sent to the client. */
  get hasBegun(): boolean {
    return this.#head !== undefined
  }

  /** Sends the request. `body` is empty if it has none. */
  send(body: Buffer): void {
    const { head, connection } = this.#target
    connection.use(this)
    this.#setTimeout(connection.timeouts.answer)
    if (body.length === 0) writeTextDirectly(this.#app, head)
    else this.#app.write(Buffer.concat([Buffer.from(head, 'latin1'), body]))
  }

  /** Ends the request, because the client went away. */
  cancel(): void {
    if (this.#isOver) return
    // The app may have processed the request all the same.
    if (this.#head === undefined) this.#target.invalidate?.()
    this.#leave()
    this.#app.destroy()
    this.#reportAnswer(this.#head?.status ?? 0)
  }

  /** Lets the ordinary way finish the request. Nothing of the answer was sent to the client yet. */
  handOver(): void {
    this.#leave()
    this.#parts.onHandOver(this.#target.handOver(this.#held))
  }

  onData(chunk: Buffer): void {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = nothing
    if (this.#head === undefined) this.#readHead(bytes)
    else this.#passBody(bytes, 0, '')
  }

  /** The app closed the connection before the answer was complete. */
  onEnd(): void {
    if (this.#head === undefined) this.#fail('closed')
    else this.#abort()
  }

  onTimeout(): void {
    if (this.#head === undefined) this.#fail('timed out')
    // An app that waits for a slow client is not late.
    else if (!this.#app.isPaused()) this.#abort()
  }

  #readHead(bytes: Buffer): void {
    const head = this.#parts.repeated.read(bytes, this.#target)
    const body = typeof head === 'object' ? this.#bodyOf(head) : undefined
    if (head === 'incomplete') this.#held = Buffer.from(bytes)
    else if (head === 'unusual' || body === undefined) {
      this.#held = Buffer.from(bytes)
      this.handOver()
    } else {
      this.#head = head
      this.#body = body
      if (head.status < 400) this.#target.invalidate?.()
      this.#passBody(bytes, head.headBytes, this.#headLines(head))
    }
  }

  /** Returns the reader for the body: by length or by chunks. `undefined` if the ordinary way has to read the answer. */
  #bodyOf(head: AnswerHead): LengthBody | ChunkedBody | undefined {
    const { status, length, isChunked, hasLocation } = head
    if (this.#target.isForCompression(head)) return undefined
    // The ordinary way drops the cache entries of that location as well.
    if (hasLocation && this.#target.invalidate !== undefined) return undefined
    if (status === 204 && length !== undefined) return undefined
    if (this.#parts.isHead || status === 204 || status === 304) return new LengthBody(0)
    if (isChunked) return new ChunkedBody()
    return length === undefined ? undefined : new LengthBody(length)
  }

  #headLines(head: AnswerHead): string {
    const { requestId, deploymentId } = this.#target
    const { connectionFields } = this.#parts
    const { sent } = head
    const isSame =
      sent !== undefined && sent.deploymentId === deploymentId && sent.connectionFields === connectionFields
    if (!isSame) head.sent = this.#sentHead(head, deploymentId)
    const coding = this.#body instanceof ChunkedBody ? 'Transfer-Encoding: chunked\r\n' : ''
    const date = head.hasDate ? '' : `Date: ${httpDate()}\r\n`
    return `${head.sent!.lines}${coding}${date}X-Svc-Request-Id: ${requestId}\r\n\r\n`
  }

  #sentHead({ statusLine, fields, hasStrictTransport }: AnswerHead, deploymentId: string): SentHead {
    const { isSecure, connectionFields } = this.#parts
    let lines = `HTTP/1.1 ${statusLine}\r\n${fields}X-Svc-Deployment: ${deploymentId}\r\nX-Svc-Cache: BYPASS\r\n`
    if (isSecure && !hasStrictTransport) lines += strictTransportLine
    lines += connectionFields
    return { deploymentId, connectionFields, lines }
  }

  /** Sends `head`, and the part of the body that begins at `start`. */
  #passBody(bytes: Buffer, start: number, head: string): void {
    const body = this.#body!
    const end = body.read(bytes, start)
    if (head !== '') writeDirectly(this.#parts.client, joined(head, bytes.subarray(start, end)))
    else if (end > start) this.#parts.client.write(Buffer.from(bytes.subarray(start, end)))
    const rest = end === bytes.length ? nothing : Buffer.from(bytes.subarray(end))
    if (body.state === 'open') {
      this.#held = rest
      this.#setTimeout(this.#target.connection.timeouts.idle)
      this.#waitForClient()
    } else if (body.state === 'complete') this.#complete(rest.length === 0)
    else if (body.state === 'unusual') this.#passRestOfChunks(rest, body as ChunkedBody)
    else this.#abort()
  }

  /** Stops reading from the app while too many bytes wait to be sent to the client. */
  #waitForClient(): void {
    const { client } = this.#parts
    if (client.writableLength <= unsentBytes || this.#app.isPaused()) return
    this.#app.pause()
    client.once('drain', () => {
      if (this.#isOver) return
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
    this.#reportAnswer(this.#head!.status)
  }

  #isReusable({ isReusable, status, length, isChunked }: AnswerHead): boolean {
    const announcesBody = isChunked || (length !== undefined && length > 0)
    return isReusable && !mayBodyFollow(this.#parts.isHead, status, announcesBody)
  }

  /** Ends the client's connection, so that the client sees that the answer is incomplete. */
  #abort(): void {
    this.#parts.client.destroy()
    this.cancel()
  }

  #fail(why: 'closed' | 'timed out'): void {
    this.#leave()
    this.#app.destroy()
    this.#parts.onHandOver(this.#target.handOver(why))
  }

  #passRestOfChunks(bytes: Buffer, body: ChunkedBody): void {
    this.#target.passRestOfChunks(bytes, {
      client: this.#parts.client,
      onData: count => {
        body.bodyBytes += count
      },
      onEnd: isWhole => {
        if (!isWhole) return this.#abort()
        this.#leave()
        this.#reportAnswer(this.#head!.status)
      },
    })
  }

  #reportAnswer(status: number): void {
    const bytes = this.#body?.bodyBytes ?? 0
    this.#parts.onAnswered({ status, bytes, isHtml: this.#head?.isHtml })
  }

  #leave(): void {
    this.#isOver = true
    this.#target.connection.leave()
  }

  /** The socket restarts the time whenever bytes are read or written. */
  #setTimeout(ms: number): void {
    if (this.#app.timeout !== ms) this.#app.setTimeout(ms)
  }
}

/** Head and body in one buffer, which is written faster than two. */
function joined(head: string, body: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(head.length + body.length)
  whole.write(head, 'latin1')
  body.copy(whole, head.length)
  return whole
}

/** A body of a known length. */
class LengthBody {
  bodyBytes = 0
  readonly #length: number

  constructor(length: number) {
    this.#length = length
  }

  get state(): 'open' | 'complete' {
    return this.bodyBytes === this.#length ? 'complete' : 'open'
  }

  /** Returns the index up to which the bytes belong to the body. */
  read(bytes: Buffer, start: number): number {
    const count = Math.min(this.#length - this.bodyBytes, bytes.length - start)
    this.bodyBytes += count
    return start + count
  }
}

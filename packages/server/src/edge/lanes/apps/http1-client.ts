// A connection by HTTP/1.1 that receives answers of apps.
import type { Socket } from 'node:net'
import { strictTransport } from '../../../lib/platform-fields.ts'
import { headerLines } from '../../../lib/raw-headers.ts'
import { writeDirectly } from '../direct-writes.ts'
import { httpDate } from '../http-date.ts'
import type { AppTarget } from '../sources.ts'
import type { AnswerHead, SentHead } from './answer-head.ts'
import type { AppClient } from './app-client.ts'

interface Http1ClientParts {
  socket: Socket
  isSecure: boolean
  /** Fields for the client's connection, one per line. */
  connectionFields(): string
}

/** The app is not read while more than this many bytes wait to be sent to the client. */
const unsentBytes = 128 * 1024

const strictTransportLine = `${strictTransport.join(': ')}\r\n`

export class Http1Client implements AppClient {
  readonly takesContent = false
  readonly #parts: Http1ClientParts
  readonly #socket: Socket

  constructor(parts: Http1ClientParts) {
    this.#parts = parts
    this.#socket = parts.socket
  }

  get isFull(): boolean {
    return this.#socket.writableLength > unsentBytes
  }

  whenDrained(action: () => void): void {
    this.#socket.once('drain', action)
  }

  begin(head: AnswerHead, target: AppTarget, framed: Buffer, isChunked: boolean): void {
    writeDirectly(this.#socket, joined(this.#headLines(head, target, isChunked), framed))
  }

  writeFramed(framed: Buffer): void {
    this.#socket.write(Buffer.from(framed))
  }

  writeContent(content: Buffer): void {
    this.#socket.write(`${content.length.toString(16)}\r\n`, 'latin1')
    this.#socket.write(Buffer.from(content))
    this.#socket.write('\r\n', 'latin1')
  }

  end(trailers?: readonly string[]): void {
    if (trailers !== undefined) this.#socket.write(`0\r\n${headerLines(trailers)}\r\n`, 'latin1')
  }

  abort(): void {
    this.#socket.destroy()
  }

  #headLines(head: AnswerHead, { requestId, deploymentId }: AppTarget, isChunked: boolean): string {
    const connectionFields = this.#parts.connectionFields()
    const { sent } = head
    const isSame =
      sent !== undefined && sent.deploymentId === deploymentId && sent.connectionFields === connectionFields
    if (!isSame) head.sent = this.#sentHead(head, deploymentId, connectionFields)
    const coding = isChunked ? 'Transfer-Encoding: chunked\r\n' : ''
    const date = head.hasDate ? '' : `Date: ${httpDate()}\r\n`
    return `${head.sent!.lines}${coding}${date}X-Svc-Request-Id: ${requestId}\r\n\r\n`
  }

  #sentHead(
    { statusLine, fields, hasStrictTransport }: AnswerHead,
    deploymentId: string,
    connectionFields: string,
  ): SentHead {
    let lines = `HTTP/1.1 ${statusLine}\r\n${fields}X-Svc-Deployment: ${deploymentId}\r\nX-Svc-Cache: BYPASS\r\n`
    if (this.#parts.isSecure && !hasStrictTransport) lines += strictTransportLine
    lines += connectionFields
    return { deploymentId, connectionFields, lines }
  }
}

/** Head and body in one buffer, which is written faster than two. */
function joined(head: string, body: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(head.length + body.length)
  whole.write(head, 'latin1')
  body.copy(whole, head.length)
  return whole
}

// A connection by HTTP/1.1 that receives answers of apps.
import type { Socket } from 'node:net'
import { strictTransport } from '../../../lib/platform-fields.ts'
import { headerLines } from '../../../lib/raw-headers.ts'
import { writeDirectly } from '../direct-writes.ts'
import { httpDate } from '../http-date.ts'
import type { AppTarget } from '../sources.ts'
import type { AnswerHead, SentHead } from './answer-head.ts'
import type { DirectClient } from './app-client.ts'

interface Http1ClientParts {
  socket: Socket
  isSecure: boolean
  /** Fields for the client's connection, one per line. */
  connectionFields(): string
}

/** The app is not read while more than this many bytes wait to be sent to the client. */
const unsentBytes = 128 * 1024

const strictTransportLine = `${strictTransport.join(': ')}\r\n`

export class Http1Client implements DirectClient {
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

  sendWhole(head: AnswerHead, target: AppTarget, content: Buffer, trailers: readonly string[]): void {
    const before = this.#headLines(head, target, true) + sizeLine(content)
    const after = `${content.length > 0 ? '\r\n' : ''}${lastChunk(trailers)}`
    writeDirectly(this.#socket, joined(before, content, after))
  }

  writeContent(content: Buffer): void {
    this.#socket.write(joined(sizeLine(content), content, '\r\n'))
  }

  end(trailers?: readonly string[]): void {
    if (trailers !== undefined) this.#socket.write(lastChunk(trailers), 'latin1')
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

/** The line before the content of a chunk. An empty chunk would be the last one. */
const sizeLine = ({ length }: Buffer): string => (length > 0 ? `${length.toString(16)}\r\n` : '')

const lastChunk = (trailers: readonly string[]): string => `0\r\n${headerLines(trailers)}\r\n`

/** All parts in one buffer, which is written faster than several. */
function joined(before: string, content: Buffer, after = ''): Buffer {
  const whole = Buffer.allocUnsafe(before.length + content.length + after.length)
  whole.write(before, 'latin1')
  content.copy(whole, before.length)
  if (after !== '') whole.write(after, before.length + content.length, 'latin1')
  return whole
}

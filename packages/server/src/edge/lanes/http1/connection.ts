// One connection of a client that speaks HTTP/1.1, plain or by TLS. The lane answers GET and HEAD of hot files itself, and hands
// every other request to node:http.
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Peer } from '../../../lib/received.ts'
import { evaluateConditions } from '../../conditions.ts'
import type { HotFile } from '../../hot-files.ts'
import type { HotSource } from '../../hot-source.ts'
import { type Answers, joinedBytes } from './answers.ts'
import { Handover } from './handover.ts'
import { type Head, type HeadReading, readHead } from './head.ts'
import { pieceBytes, sendInPieces } from './large.ts'
import type { NodeHttp } from './node-http.ts'

interface ConnectionParts {
  http: NodeHttp
  hot: HotSource
  answers: Answers
  /** The longest head that the lane reads. */
  headBytes: number
  /** Called when the connection is closed, or node:http's for good. */
  onGone(): void
}

/** If the client has more than this left to take, no further request is read. */
const unsentBytes = 256 * 1024

export class Connection implements Peer {
  readonly socket: Socket
  readonly address: string
  readonly secure: boolean
  /** How often in a row `noteProgress` found that no byte had moved. */
  quietChecks = 0
  readonly #parts: ConnectionParts
  readonly #handover: Handover
  #movedBytes = -1
  #isSending = false
  #isClosing = false

  constructor(socket: Socket, parts: ConnectionParts) {
    this.socket = socket
    this.#parts = parts
    this.address = socket.remoteAddress ?? ''
    this.secure = (socket as TLSSocket).encrypted === true
    this.#handover = new Handover(socket, {
      http: parts.http,
      onData: this.#onData,
      onAttach: () => socket.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError),
      onReturn: () => this.#onReturn(),
      onGone: () => {
        socket.off('close', parts.onGone)
        parts.onGone()
      },
    })
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError)
    socket.on('close', parts.onGone)
  }
  /** Whether a request is at node:http, which then has its own time limits. */
  get isBusy(): boolean {
    return this.#handover.isBusy
  }

  /** Whether the client has not taken all of its answers yet. */
  get isUnsent(): boolean {
    return this.#isSending || this.socket.writableLength > 0
  }

  /** Notes whether a byte moved in either direction since the last call. */
  noteProgress(): void {
    const { bytesRead, bytesWritten, writableLength } = this.socket
    const moved = bytesRead + bytesWritten - writableLength
    this.quietChecks = moved === this.#movedBytes ? this.quietChecks + 1 : 0
    this.#movedBytes = moved
  }

  /** Ends the connection after the answer that is under way. */
  close(): void {
    this.#isClosing = true
    if (!this.isBusy && !this.#isSending) this.socket.destroySoon()
  }

  readonly #onEnd = (): void => void this.socket.end()
  readonly #onError = (): void => void this.socket.destroy()

  readonly #onData = (chunk: Buffer): void => {
    if (this.#handover.isBusy) this.#handover.continue(chunk)
    else this.#serve(chunk)
  }

  #onReturn(): void {
    // node:http has set its own limit for idle connections; the lane looks for those itself.
    this.socket.setTimeout(0)
    if (this.#isClosing) this.socket.destroySoon()
  }

  /** Answers the requests of the chunk one after the other, until one is not for the lane. */
  #serve(chunk: Buffer): void {
    const { socket } = this
    const text = chunk.toString('latin1')
    let at = 0
    let next = this.#answerAt(text, at)
    // Pipelined requests: corked, their answers go out in one write. `uncork` may make room for more.
    while (typeof next === 'number' && next < text.length && !this.#isFull) {
      socket.cork()
      while (typeof next === 'number' && next < text.length && !this.#isFull) {
        at = next
        next = this.#answerAt(text, at)
      }
      socket.uncork()
    }
    if (typeof next !== 'number') this.#handover.give(chunk.subarray(at), next)
    else if (this.#isFull) this.#wait(chunk.subarray(next))
  }

  /** Where the next request begins. If this one is not for the lane: what was read of it. */
  #answerAt(text: string, at: number): number | HeadReading {
    const head = readHead(text, at, this.#parts.headBytes)
    if (typeof head === 'string' || !head.isPlain) return head
    const file = this.#parts.hot.find(head, this.secure)
    if (file === undefined) return head
    this.#answer(head, file)
    return at + head.length
  }

  #answer(head: Head, file: HotFile): void {
    const { hot, answers } = this.#parts
    const { socket } = this
    const { body } = file
    if (isUnchanged(head, file)) {
      socket.write(answers.unchanged(file))
      hot.count(file, head, { status: 304, bytes: 0 }, this)
    } else if (head.method === 'HEAD') {
      socket.write(answers.head(file))
      hot.count(file, head, { status: 200, bytes: 0 }, this)
    } else if (body.length > pieceBytes) {
      socket.write(answers.head(file))
      this.#sendInPieces(head, file)
    } else {
      socket.write(answers.whole(file))
      if (body.length > joinedBytes) socket.write(body)
      hot.count(file, head, { status: 200, bytes: body.length }, this)
    }
  }

  #sendInPieces(head: Head, file: HotFile): void {
    this.#isSending = true
    sendInPieces(this.socket, file.body, bytes => {
      this.#isSending = false
      this.#parts.hot.count(file, head, { status: 200, bytes }, this)
      if (this.#isClosing) this.socket.destroySoon()
      else this.socket.resume()
    })
  }

  get #isFull(): boolean {
    return this.#isSending || this.socket.writableLength > unsentBytes
  }

  /** Reads no further until the client has taken what was sent. */
  #wait(rest: Buffer): void {
    const { socket } = this
    socket.pause()
    if (rest.length > 0) socket.unshift(rest)
    if (!this.#isSending) socket.once('drain', () => socket.resume())
  }
}

function isUnchanged({ ifNoneMatch, ifModifiedSince }: Head, { representation }: HotFile): boolean {
  if (ifNoneMatch === undefined && ifModifiedSince === undefined) return false
  const conditions = { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince }
  return evaluateConditions(conditions, representation) === 'not-modified'
}

// Hands node:http the requests that the lane does not answer, one at a time, and takes the connection back after each
// answer. node:http gets the connection for good if the lane cannot tell where a request ends, if the client sends
// more before the answer is done, or if the answer is done before the request's body has come.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { BegunByLane } from '../sources.ts'
import { type HeadReading, readHead } from './head.ts'
import type { Attached, NodeHttp } from './node-http.ts'

interface HandoverParts {
  http: NodeHttp
  onData(chunk: Buffer): void
  onEnd(): void
  /** Called before node:http adds its own listeners to the socket. */
  onAttach(): void
  /** Called when node:http has answered the request, and the lane reads the connection again. */
  onReturn(): void
  /** Called when node:http gets the connection for good. */
  onGone(): void
}

export class Handover {
  /**
   * Whether node:http has a request, or a part of one, that it has not answered. Until it has, all bytes of the
   * client go to `continue`.
   */
  isBusy = false
  readonly #socket: Socket
  readonly #parts: HandoverParts
  /** Set when node:http is first attached, and kept after that. */
  #attached: Attached | undefined
  /** The part of an incomplete head that node:http already has, a character for each byte. Empty if no head is incomplete. */
  #partOfHead = ''
  #begunRequest: BegunByLane | undefined
  /** How many bytes of the body have not come yet. */
  #bodyLeft = 0
  /** Whether node:http has seen the whole head and emitted the request. */
  #isAsked = false

  constructor(socket: Socket, parts: HandoverParts) {
    this.#socket = socket
    this.#parts = parts
  }

  /**
   * Hands `bytes` to node:http. They begin with a request that the lane does not answer; `reading` is what was read
   * of its head. `begun` is set if the lane has already sent the request to an app.
   */
  give(bytes: Buffer, reading: HeadReading, begun?: BegunByLane): void {
    this.isBusy = true
    this.#partOfHead = ''
    this.#isAsked = false
    this.#begunRequest = begun
    if (reading !== 'unclear') this.#attach()
    this.#giveHead(bytes, reading)
    // A request that the lane has begun is whole, so node:http has either taken it by now, or refused it.
    this.#begunRequest?.abandon()
    this.#begunRequest = undefined
  }

  /**
   * Gives node:http the connection for good, if it has never had a request of it. `bytes` begin with one. node:http then reads from the
   * connection itself, which is faster. Returns false otherwise.
   */
  giveForGood(bytes: Buffer): boolean {
    if (this.#attached !== undefined) return false
    this.#giveUp(bytes)
    return true
  }

  /** Hands node:http the bytes that the client sends after those of `give`, while `isBusy`. */
  continue(chunk: Buffer): void {
    if (this.#partOfHead !== '') {
      this.#giveHead(chunk, readHead(this.#partOfHead + chunk.toString('latin1'), 0))
    } else if (!this.continueBody(chunk)) this.#giveUp(chunk)
  }

  /**
   * Does the same, but only if `chunk` is a part of a body. Else returns false. node:http copies the bytes of bodies, so the
   * memory of `chunk` can be used again at once.
   */
  continueBody(chunk: Buffer): boolean {
    if (!this.isBusy || this.#partOfHead !== '' || chunk.length > this.#bodyLeft) return false
    this.#bodyLeft -= chunk.length
    this.#feedBytes(chunk)
    return true
  }

  /** Ends the connection, since the client has ended its side. If node:http has a request, it decides what becomes of it. */
  end(): void {
    if (this.#attached === undefined) this.#socket.end()
    else this.#attached.end()
  }

  /**
   * Hands node:http `bytes`: a head, or the next part of one. `reading` is what was read of the head, with the parts that node:http
   * already has.
   */
  #giveHead(bytes: Buffer, reading: HeadReading): void {
    const isWhole = typeof reading === 'object'
    const receivedBytes = this.#partOfHead.length + bytes.length
    this.#partOfHead = isWhole ? '' : this.#partOfHead + bytes.toString('latin1')
    this.#bodyLeft = isWhole ? reading.length + reading.bodyBytes - receivedBytes : 0
    if (reading === 'unclear' || this.#bodyLeft < 0) {
      this.#giveUp(bytes)
      return
    }
    this.#feedBytes(bytes)
    // If node:http sees the end of the head elsewhere than the lane does, it gets the connection for good.
    if (this.#isAsked !== isWhole) this.#giveUp()
  }

  #attach(): void {
    if (this.#attached !== undefined) return
    const { http, onAttach } = this.#parts
    onAttach()
    this.#attached = http.attach(this.#socket, this.#parts)
  }

  #feedBytes(bytes: Buffer): void {
    this.#parts.http.feed(this.#attached!, bytes, this.#onRequest)
  }

  readonly #onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    this.#isAsked = true
    if (this.#begunRequest !== undefined) this.#begunRequest.finish(req, res)
    this.#begunRequest = undefined
    res.once('close', () => this.#onAnswered(req))
  }

  #onAnswered(req: IncomingMessage): void {
    const { destroyed, writableEnded } = this.#socket
    if (!this.isBusy || destroyed || writableEnded) return
    if (req.complete && this.#bodyLeft === 0) {
      this.isBusy = false
      this.#parts.onReturn()
    } else this.#giveUp()
  }

  /** Gives node:http the connection for good. `bytes` were read from it, but node:http does not have them yet. */
  #giveUp(bytes?: Buffer): void {
    const { http, onData, onEnd, onAttach, onGone } = this.#parts
    const socket = this.#socket
    const attached = this.#attached
    this.isBusy = false
    onGone()
    if (attached === undefined) {
      onAttach()
      http.give(socket, bytes!)
      return
    }
    socket.off('data', onData).on('data', attached.feed)
    socket.off('end', onEnd).on('end', attached.end)
    if (bytes !== undefined) attached.feed(bytes)
  }
}

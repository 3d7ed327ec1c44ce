// A connection's way to node:http and back. node:http gets each request that the lane does not answer, to the byte, and the
// connection comes back when that request is answered. node:http gets the connection for good if it is not clear where a request
// ends, or if more bytes come before its answer is done.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type HeadReading, readHead } from './head.ts'
import type { Feed, NodeHttp } from './node-http.ts'

interface HandoverParts {
  http: NodeHttp
  onData(chunk: Buffer): void
  /** Called before node:http listens to the connection itself. */
  onAttach(): void
  /** The request is answered, and the connection is the lane's again. */
  onReturn(): void
  /** The connection is node:http's for good. */
  onGone(): void
}

export class Handover {
  /** Whether a request is at node:http: everything that comes is for `continue`. */
  isBusy = false
  readonly #socket: Socket
  readonly #parts: HandoverParts
  /** Set once node:http is attached to the connection. It stays so. */
  #feed: Feed | undefined
  /** The begin of a head that node:http has, if its end has not come yet. */
  #begun = ''
  /** What is to come of the body. */
  #bodyLeft = 0
  /** Whether node:http has begun to answer. */
  #isAsked = false

  constructor(socket: Socket, parts: HandoverParts) {
    this.#socket = socket
    this.#parts = parts
  }

  /** Gives node:http the bytes, which begin with the request that was read. */
  give(bytes: Buffer, reading: HeadReading): void {
    this.isBusy = true
    this.#isAsked = false
    if (reading !== 'unclear') this.#attach()
    this.#giveHead(bytes, bytes.toString('latin1'), reading)
  }

  /** What came after the bytes that were given. */
  continue(chunk: Buffer): void {
    if (this.#begun !== '') {
      const text = this.#begun + chunk.toString('latin1')
      this.#giveHead(chunk, text, readHead(text, 0))
    } else if (chunk.length <= this.#bodyLeft) {
      this.#bodyLeft -= chunk.length
      this.#feedBytes(chunk)
    } else this.#giveUp(chunk)
  }

  /** `text` is all that has come of the request; `bytes` are what node:http has not got of it. */
  #giveHead(bytes: Buffer, text: string, reading: HeadReading): void {
    const isWhole = typeof reading === 'object'
    this.#begun = isWhole ? '' : text
    this.#bodyLeft = isWhole ? reading.length + reading.bodyBytes - text.length : 0
    if (reading === 'unclear' || this.#bodyLeft < 0) {
      this.#giveUp(bytes)
      return
    }
    this.#feedBytes(bytes)
    // node:http sees the end of the head elsewhere.
    if (this.#isAsked !== isWhole) this.#giveUp()
  }

  #attach(): void {
    if (this.#feed !== undefined) return
    const { http, onData, onAttach } = this.#parts
    onAttach()
    this.#feed = http.attach(this.#socket, onData)
  }

  #feedBytes(bytes: Buffer): void {
    this.#parts.http.feed(this.#feed!, bytes, this.#onRequest)
  }

  readonly #onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    this.#isAsked = true
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

  #giveUp(bytes?: Buffer): void {
    const { http, onData, onAttach, onGone } = this.#parts
    const socket = this.#socket
    this.isBusy = false
    onGone()
    if (this.#feed === undefined) {
      onAttach()
      http.give(socket, bytes!)
      return
    }
    socket.off('data', onData).on('data', this.#feed)
    if (bytes !== undefined) this.#feed(bytes)
  }
}

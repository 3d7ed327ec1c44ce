// A request that a lane has sent to an app, and that the ordinary way finishes. The lane hands it over if it does not
// understand the app's answer, if no answer comes, or if the client pipelines requests. The request is not sent a second time.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { AppAddress } from '../../core/base/apps.ts'
import type { BegunByLane } from '../lanes/lanes.ts'

interface BegunParts {
  requestId: string
  deploymentId: string
  address: AppAddress
  /** The answer, of which nothing was passed on, or why there is none. */
  answer: AnswerOnly | Error
  /** Whether a part of the body is no longer there, because only the app got it. */
  hasLostBody: boolean
}

export class BegunRequest implements BegunByLane {
  readonly requestId: string
  readonly deploymentId: string
  readonly address: AppAddress
  /** Why there is no answer. `undefined` if there is one. */
  readonly failure: Error | undefined
  /** Whether the request cannot be sent a second time, because a part of its body is no longer there. */
  readonly hasLostBody: boolean
  #answer: AnswerOnly | undefined

  constructor({ requestId, deploymentId, address, answer, hasLostBody }: BegunParts) {
    this.requestId = requestId
    this.deploymentId = deploymentId
    this.address = address
    this.hasLostBody = hasLostBody
    if (answer instanceof Error) this.failure = answer
    else this.#answer = answer
  }

  /** Returns the connection from which the answer can be read. May be called once. */
  takeAnswer(): AnswerOnly | undefined {
    const answer = this.#answer
    this.#answer = undefined
    return answer
  }

  finish(req: IncomingMessage, res: ServerResponse): void {
    begunRequests.set(req, this)
    res.once('close', () => this.abandon())
  }

  /** Closes the connection to the app, unless the answer was taken. */
  abandon(): void {
    this.takeAnswer()?.destroy()
  }
}

const headEnd = Buffer.from('\r\n\r\n')

/**
 * A connection to an app whose request is already sent, or all of it but the end of its body. node:http reads the answer from it. Of what
 * node:http writes, the head is discarded, and the body as well unless `lacksBody`. node:http first gets `bytes`, which the lane has already
 * read, and then what comes from the socket.
 */
export class AnswerOnly extends Duplex {
  readonly #socket: Socket
  readonly #lacksBody: boolean
  /** What node:http has written of the head. `undefined` after its end. */
  #head: Buffer | undefined = Buffer.alloc(0)

  constructor(socket: Socket, bytes: Buffer, { lacksBody = false } = {}) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    this.#lacksBody = lacksBody
    if (bytes.length > 0) this.push(bytes)
    socket.on('data', chunk => {
      if (!this.push(chunk)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('close', () => {
      if (!socket.readableEnded) this.destroy()
    })
    socket.on('timeout', () => this.emit('timeout'))
    // node:http emits `free` when the answer is complete.
    this.once('free', () => this.destroy())
  }

  /** node:http calls this in place of emitting `free` if the app closes the connection after the answer. */
  destroySoon(): void {
    this.destroy()
  }

  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms)
    return this
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: unknown, done: () => void): void {
    const body = this.#lacksBody ? this.#bodyIn(chunk) : undefined
    if (body === undefined || body.length === 0 || !this.#socket.writable) done()
    else this.#socket.write(body, () => done())
  }

  /** Returns the part of what node:http writes that belongs to the body. */
  #bodyIn(chunk: Buffer): Buffer | undefined {
    if (this.#head === undefined) return chunk
    const written = Buffer.concat([this.#head, chunk])
    const end = written.indexOf(headEnd)
    this.#head = end < 0 ? written : undefined
    return end < 0 ? undefined : written.subarray(end + headEnd.length)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    // A socket closes in a later turn of the event loop. Until then, those who wait for the answer can add their listeners.
    setImmediate(() => done(error))
  }
}

const begunRequests = new WeakMap<IncomingMessage, BegunRequest>()

/** Returns the request that a lane began, if `req` finishes one. */
export const begunRequestOf = (req: IncomingMessage): BegunRequest | undefined => begunRequests.get(req)

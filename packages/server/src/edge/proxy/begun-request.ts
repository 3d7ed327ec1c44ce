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
}

export class BegunRequest implements BegunByLane {
  readonly requestId: string
  readonly deploymentId: string
  readonly address: AppAddress
  /** Why there is no answer. `undefined` if there is one. */
  readonly failure: Error | undefined
  #answer: AnswerOnly | undefined

  constructor({ requestId, deploymentId, address, answer }: BegunParts) {
    this.requestId = requestId
    this.deploymentId = deploymentId
    this.address = address
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

/**
 * A connection to an app whose request is already sent: node:http reads the answer from it, and what node:http writes is
 * discarded. node:http first gets `bytes`, which the lane has already read, and then what comes from
 * the socket.
 */
export class AnswerOnly extends Duplex {
  readonly #socket: Socket

  constructor(socket: Socket, bytes: Buffer) {
    super({ allowHalfOpen: false })
    this.#socket = socket
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

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done()
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

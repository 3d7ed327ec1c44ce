// Bodies of requests that an app gets as they come, because they are too long to be kept. The client may send as much again as the app
// has taken.
import type { AppRequest } from '../apps/app-request.ts'
import { type Field, makeField } from './hpack/field.ts'
import { type ReceiveWindow, receiveWindows } from './receive-window.ts'

/** The window of a stream is enlarged when the app has taken so much. It is much larger than that. */
const creditedBytes = receiveWindows.stream / 4
/** After so many calls of `leaveLate`, node:http2 gets the rest, because it limits how long a body takes. */
const mostLooks = 10

interface PassedBody {
  readonly request: AppRequest
  sentBytes: number
  /** What of it the app has not taken. */
  untakenBytes: number
  /** How much of the window of the stream the client has used. */
  usedBytes: number
  /** Whether node:http2 has got the request, and with it counts a whole window. */
  isOfNode: boolean
  looks: number
  sentBefore: number
}

/** `left`: node:http2 has to judge the part. `beyond`: the client may not have sent so much. */
export type Taking = 'taken' | 'left' | 'beyond'

export class PassedBodies {
  /** By their streams, until the client has ended them. */
  readonly #bodies = new Map<number, PassedBody>()
  readonly #window: ReceiveWindow

  constructor(window: ReceiveWindow) {
    this.#window = window
  }

  has(id: number): boolean {
    return this.#bodies.has(id)
  }

  add(id: number, request: AppRequest): void {
    const counts = { sentBytes: 0, untakenBytes: 0, usedBytes: 0, looks: 0, sentBefore: 0 }
    this.#bodies.set(id, { request, isOfNode: false, ...counts })
  }

  /** Sends the app the next part of a body. Leaves the request to node:http2 if the part does not fit the declared length. */
  send(id: number, part: Buffer, isLast: boolean): Taking {
    const body = this.#bodies.get(id)!
    const { request } = body
    const { length } = part
    const left = request.leftBytes
    if (!request.isOver && (isLast ? length !== left : length >= left)) {
      this.leave(id)
      return 'left'
    }
    if (body.usedBytes + length > receiveWindows.stream || !this.#window.spend(length)) return 'beyond'
    // The request was given up. Its client was told, and may still have sent this.
    if (request.isOver) this.#window.credit(length)
    else {
      request.sendMore(part)
      body.sentBytes += length
      body.usedBytes += length
      this.#await(id, body, length)
    }
    if (isLast) this.forget(id)
    return 'taken'
  }

  /** Leaves a request to node:http2, if it is not over. */
  leave(id: number): void {
    const request = this.#bodies.get(id)?.request
    if (request?.isOver === false) request.handOver()
    this.forget(id)
  }

  /** node:http2 has got the request. It counts the window of the stream from the beginning, so the client gets back what it has used. */
  handedOver(id: number): void {
    const body = this.#bodies.get(id)
    if (body === undefined) return
    body.isOfNode = true
    // Otherwise the client has to wait until the app has taken what was sent.
    if (body.untakenBytes === 0) this.#creditStream(id, body)
    this.forget(id)
  }

  /** The client has ended or reset the stream, or node:http2 has the request. */
  forget(id: number): void {
    const body = this.#bodies.get(id)
    if (body === undefined) return
    this.#bodies.delete(id)
    // The app may be gone, and then takes nothing more.
    this.#credit(body)
  }

  /** Leaves requests to node:http2 whose bodies come slowly or take long. To be called at intervals. */
  leaveLate(): void {
    for (const [id, body] of this.#bodies) {
      // Also if it waits for the app: meanwhile it takes room that other bodies on the connection need.
      const isSlow = body.sentBytes === body.sentBefore
      body.sentBefore = body.sentBytes
      if ((isSlow && body.looks > 0) || ++body.looks > mostLooks) this.leave(id)
    }
  }

  /** Enlarges the windows when the app has taken what was sent. */
  #await(id: number, body: PassedBody, bytes: number): void {
    body.untakenBytes += bytes
    if (!body.request.isAppFull) this.#taken(id, body)
    else if (body.untakenBytes === bytes) body.request.whenTaken(() => this.#taken(id, body))
  }

  #taken(id: number, body: PassedBody): void {
    this.#credit(body)
    const isDue = body.usedBytes >= creditedBytes && this.#bodies.has(id)
    if (isDue || body.isOfNode) this.#creditStream(id, body)
  }

  #credit(body: PassedBody): void {
    this.#window.credit(body.untakenBytes)
    body.untakenBytes = 0
  }

  #creditStream(id: number, body: PassedBody): void {
    if (body.usedBytes > 0) this.#window.creditStream(id, body.usedBytes)
    body.usedBytes = 0
  }
}

/** Returns the fields of a request of whose body only `bytes` are left. */
export const withBodyBytes = (fields: readonly Field[], bytes: number): Field[] =>
  fields.map(field => (field.meaning === 'content-length' ? makeField(field.name, String(bytes)) : field))

// Bodies of requests that an app gets as they come, because they are too long to be kept. The client may send as much again as the app
// has taken.
import type { AppRequest } from '../apps/app-request.ts'
import { windowUpdate } from './frames.ts'
import { type Field, makeField } from './hpack/field.ts'

const KB = 1024
/** The window of a stream is enlarged when the app has taken so much. It is much larger than that. */
const creditedBytes = 256 * KB
/** After so many calls of `leaveLate`, node:http2 gets the rest, because it limits how long a body takes. */
const mostLooks = 10

interface PassedBody {
  readonly request: AppRequest
  /** What was sent to the app, and what of it the app has not taken. */
  sentBytes: number
  untakenBytes: number
  /** By how much the window of the stream is to be enlarged. */
  creditBytes: number
  looks: number
  sentBefore: number
}

interface BodiesParts {
  /** The client may send so many bytes more on the connection. */
  credit(bytes: number): void
  /** Sends a frame. Returns false if that may not be done now. */
  putFrame(frame: Buffer): boolean
}

export class PassedBodies {
  /** By their streams, until the client has ended them. */
  readonly #bodies = new Map<number, PassedBody>()
  readonly #parts: BodiesParts

  constructor(parts: BodiesParts) {
    this.#parts = parts
  }

  has(id: number): boolean {
    return this.#bodies.has(id)
  }

  add(id: number, request: AppRequest): void {
    const counts = { sentBytes: 0, untakenBytes: 0, creditBytes: 0, looks: 0, sentBefore: 0 }
    this.#bodies.set(id, { request, ...counts })
  }

  /**
   * Sends the app the next part of a body. Returns false if the request is left to node:http2, which has to judge this part: it does not
   * fit the declared length.
   */
  send(id: number, part: Buffer, isLast: boolean): boolean {
    const body = this.#bodies.get(id)!
    const { request } = body
    // The request was given up. Its client was told, and may still have sent this.
    if (request.isOver) this.#parts.credit(part.length)
    else {
      const left = request.leftBytes
      const fits = isLast ? part.length === left : part.length < left
      if (!fits) {
        this.leave(id)
        return false
      }
      request.sendMore(part)
      body.sentBytes += part.length
      this.#await(id, body, part.length)
    }
    if (isLast) this.forget(id)
    return true
  }

  /** Leaves a request to node:http2, if it is not over. */
  leave(id: number): void {
    const body = this.#bodies.get(id)
    this.forget(id)
    if (body !== undefined && !body.request.isOver) body.request.handOver()
  }

  /** The client has ended or reset the stream, or node:http2 has the request. */
  forget(id: number): void {
    const body = this.#bodies.get(id)
    if (body === undefined) return
    this.#bodies.delete(id)
    // The app may be gone, and then takes nothing more.
    this.#parts.credit(body.untakenBytes)
    body.untakenBytes = 0
  }

  /** Leaves requests to node:http2 whose bodies come slowly or take long. To be called at intervals. */
  leaveLate(): void {
    for (const [id, body] of this.#bodies) {
      const isSlow = body.sentBytes === body.sentBefore && body.untakenBytes === 0
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
    const { credit, putFrame } = this.#parts
    credit(body.untakenBytes)
    body.creditBytes += body.untakenBytes
    body.untakenBytes = 0
    if (body.creditBytes < creditedBytes || !this.#bodies.has(id)) return
    if (putFrame(windowUpdate(id, body.creditBytes))) body.creditBytes = 0
  }
}

/** Returns the fields of a request of whose body only `bytes` are left. */
export const withBodyBytes = (fields: readonly Field[], bytes: number): Field[] =>
  fields.map(field => (field.meaning === 'content-length' ? makeField(field.name, String(bytes)) : field))

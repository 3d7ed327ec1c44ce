// The bodies of requests to apps. Short ones are kept until they are complete, so that node:http2 can still get the whole request.
// Longer ones are passed on as they come. node:http2 gets every other body, with its request.
import type { AppRequest } from '../apps/app-request.ts'
import { mostStreams } from './answer-streams.ts'
import type { Field } from './hpack/field.ts'
import { PassedBodies, type Taking } from './passed-bodies.ts'
import type { ReceiveWindow } from './receive-window.ts'
import { RequestBody } from './request-body.ts'

interface BodiesParts {
  window: ReceiveWindow
  /** Answers a request with its whole body. Returns false if node:http2 has to answer it. */
  answer(id: number, body: RequestBody): boolean
  /** Sends an app a request whose body follows. Returns `undefined` if node:http2 has to answer it. */
  passWithBody(id: number, fields: readonly Field[]): AppRequest | undefined
  /** Hands node:http2 the request, with what has come of its body. `isLast`: nothing more comes. */
  leaveToNode(id: number, body: RequestBody, isLast: boolean): void
}

export class RequestBodies {
  /** The bodies that are kept, by their streams. */
  readonly #bodies = new Map<number, RequestBody>()
  readonly #passed: PassedBodies
  readonly #parts: BodiesParts

  constructor(parts: BodiesParts) {
    this.#parts = parts
    this.#passed = new PassedBodies(parts.window)
  }

  /** Whether DATA of the stream comes here. */
  has(id: number): boolean {
    return this.#bodies.has(id) || this.#passed.has(id)
  }

  /** Returns the body of the stream, if it is kept. */
  kept(id: number): RequestBody | undefined {
    return this.#bodies.get(id)
  }

  /** Returns false if node:http2 has to get the request: the length of its body is not declared, or no app can get it from the lane. */
  begin(id: number, fields: readonly Field[]): boolean {
    const body = RequestBody.of(fields)
    if (body !== undefined && this.#bodies.size < mostStreams) {
      this.#bodies.set(id, body)
      return true
    }
    const request = this.#parts.passWithBody(id, fields)
    if (request !== undefined) this.#passed.add(id, request)
    return request !== undefined
  }

  /** Takes the next part of a body. */
  take(id: number, part: Buffer, isLast: boolean): Taking {
    const body = this.#bodies.get(id)
    if (body === undefined) return this.#passed.send(id, part, isLast)
    if (!body.fits(part.length, isLast) || !this.#parts.window.keep(part.length)) {
      this.leave(id)
      return 'left'
    }
    body.add(part)
    if (!isLast) return 'taken'
    this.#bodies.delete(id)
    if (!this.#parts.answer(id, body)) this.#leave(id, body, true)
    return 'taken'
  }

  /** Leaves a request to node:http2, with what has come of its body. */
  leave(id: number): void {
    const body = this.#bodies.get(id)
    this.#bodies.delete(id)
    if (body !== undefined) this.#leave(id, body, false)
    else this.#passed.leave(id)
  }

  /** Leaves the requests to node:http2 whose bodies are late: all that are kept, or those that were already late at the last call. */
  leaveLate(which: 'all' | 'old'): void {
    for (const [id, body] of this.#bodies)
      if (which === 'all' || body.isOld) this.leave(id)
      else body.isOld = true
    if (which === 'old') this.#passed.leaveLate()
  }

  /** The client has reset the stream. */
  drop(id: number): void {
    const body = this.#bodies.get(id)
    this.#bodies.delete(id)
    if (body !== undefined) this.#parts.window.free(body.receivedBytes, true)
    this.#passed.forget(id)
  }

  /** node:http2 has got the request. */
  handedOver(id: number): void {
    this.#passed.handedOver(id)
  }

  #leave(id: number, body: RequestBody, isLast: boolean): void {
    this.#parts.window.free(body.receivedBytes, false)
    this.#parts.leaveToNode(id, body, isLast)
  }
}

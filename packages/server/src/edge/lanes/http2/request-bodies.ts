// The bodies that the lane keeps until they are complete, because an app may get them from it. node:http2 gets every other body, with
// its request.
import type { Field } from './hpack/field.ts'
import type { KeptBytes } from './kept-bytes.ts'
import { RequestBody } from './request-body.ts'

interface BodiesParts {
  kept: KeptBytes
  /** Answers a request with its whole body. Returns false if node:http2 has to answer it. */
  answer(id: number, body: RequestBody): boolean
  /** Hands node:http2 the request, with what has come of its body. `isLast`: nothing more comes. */
  leaveToNode(id: number, body: RequestBody, isLast: boolean): void
}

export class RequestBodies {
  /** By their streams. */
  readonly #bodies = new Map<number, RequestBody>()
  readonly #parts: BodiesParts

  constructor(parts: BodiesParts) {
    this.#parts = parts
  }

  /** Returns the body of the stream, if the lane keeps it. */
  get(id: number): RequestBody | undefined {
    return this.#bodies.get(id)
  }

  /** Begins to keep the body of a request. Returns false if its length is not declared, or too large. */
  begin(id: number, fields: readonly Field[]): boolean {
    const body = RequestBody.of(fields)
    if (body !== undefined) this.#bodies.set(id, body)
    return body !== undefined
  }

  /** Whether the next part of the body, of `length` bytes, can be kept. If not, node:http2 gets the request. */
  keep(id: number, length: number, isLast: boolean): boolean {
    const body = this.#bodies.get(id)!
    const isKept = body.fits(length, isLast) && this.#parts.kept.keep(length)
    if (!isKept) this.leave(id)
    return isKept
  }

  /** Adds a part that can be kept. */
  add(id: number, part: Buffer, isLast: boolean): void {
    const body = this.#bodies.get(id)!
    body.add(part)
    if (!isLast) return
    this.#bodies.delete(id)
    if (!this.#parts.answer(id, body)) this.#leave(id, body, true)
  }

  /** Leaves a request to node:http2, with what has come of its body. */
  leave(id: number): void {
    const body = this.#bodies.get(id)
    this.#bodies.delete(id)
    if (body !== undefined) this.#leave(id, body, false)
  }

  /** Leaves the requests to node:http2 whose bodies are late: all of them, or those that were already waiting at the last call. */
  leaveLate(which: 'all' | 'old'): void {
    for (const [id, body] of this.#bodies)
      if (which === 'all' || body.isOld) this.leave(id)
      else body.isOld = true
  }

  /** The client has reset the stream. */
  drop(id: number): void {
    const body = this.#bodies.get(id)
    this.#bodies.delete(id)
    if (body !== undefined) this.#parts.kept.free(body.receivedBytes, true)
  }

  #leave(id: number, body: RequestBody, isLast: boolean): void {
    this.#parts.kept.free(body.receivedBytes, false)
    this.#parts.leaveToNode(id, body, isLast)
  }
}

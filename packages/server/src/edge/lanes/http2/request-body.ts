// The body of a request that the client is still sending. The lane keeps short bodies of a declared length until they are complete.
import type { Field } from './hpack/field.ts'

const KB = 1024
/** A longer body is not kept, but passed on as it comes. */
const longestBody = 64 * KB

export class RequestBody {
  readonly fields: readonly Field[]
  /** By how much the client has enlarged the window of the stream. */
  granted = 0
  /** Whether it has waited for the client since the last look. */
  isOld = false
  receivedBytes = 0
  readonly #length: number
  #buffer: Buffer = Buffer.alloc(0)

  private constructor(fields: readonly Field[], length: number) {
    this.fields = fields
    this.#length = length
  }

  /** Returns a body that the lane may keep, if the request declares a short one. */
  static of(fields: readonly Field[]): RequestBody | undefined {
    const length = declaredLength(fields)
    return length > 0 && length <= longestBody ? new RequestBody(fields, length) : undefined
  }

  /** Whether a DATA frame of `length` bytes fits the declared length. */
  fits(length: number, isLast: boolean): boolean {
    const received = this.receivedBytes + length
    return isLast ? received === this.#length : received <= this.#length
  }

  /** Many small parts take no more memory than one. */
  add(part: Buffer): void {
    const before = this.receivedBytes
    this.receivedBytes += part.length
    if (this.receivedBytes > this.#buffer.length) this.#grow(before)
    part.copy(this.#buffer, before)
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.receivedBytes)
  }

  #grow(usedBytes: number): void {
    const grown = Buffer.allocUnsafe(Math.min(this.#length, Math.max(2 * usedBytes, this.receivedBytes)))
    this.#buffer.copy(grown, 0, 0, usedBytes)
    this.#buffer = grown
  }
}

/** Returns the length of the body, or 0 if the request declares none. node:http2 passes a length with leading zeros on as it is. */
export function declaredLength(fields: readonly Field[]): number {
  const declared = fields.filter(({ meaning }) => meaning === 'content-length')
  return declared.length === 1 && /^[1-9]\d{0,14}$/.test(declared[0]!.value) ? Number(declared[0]!.value) : 0
}

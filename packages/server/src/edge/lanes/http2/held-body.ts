// What has come of an app's answer, and was not sent yet. Small parts are put together: an app may send its answer byte by byte.
import { Queue } from './queue.ts'

/** Parts that are smaller than this share a block of this size, if another part is held before them. */
const blockBytes = 2 * 1024

export class HeldBody {
  length = 0
  readonly #parts = new Queue<Buffer>()
  /** How much of the first part was taken. */
  #taken = 0
  /** The last part, if it is a block that has room, and how much of it is filled. */
  #block: Buffer | undefined
  #filled = 0

  /** Copies `content`. */
  push(content: Buffer): void {
    this.length += content.length
    const rest = this.#block === undefined ? content : content.subarray(this.#fill(this.#block, content))
    if (rest.length === 0) return
    if (this.#parts.length === 0 || rest.length >= blockBytes) {
      this.#parts.push(Buffer.from(rest))
      return
    }
    this.#block = Buffer.allocUnsafe(blockBytes)
    this.#parts.push(this.#block)
    this.#fill(this.#block, rest)
  }

  /** Copies the next `length` bytes, which must be there, into `into`. */
  take(into: Buffer, at: number, length: number): void {
    this.length -= length
    for (let end = at; end < at + length; ) {
      const part = this.#parts.first!
      const partEnd = part === this.#block ? this.#filled : part.length
      const count = Math.min(at + length - end, partEnd - this.#taken)
      part.copy(into, end, this.#taken, this.#taken + count)
      end += count
      this.#taken += count
      if (this.#taken < partEnd) continue
      this.#parts.shift()
      this.#taken = 0
      if (part === this.#block) this.#closeBlock()
    }
  }

  clear(): void {
    this.length = 0
    this.#taken = 0
    this.#parts.clear()
    this.#closeBlock()
  }

  /** Returns how many bytes of `content` the block had room for. */
  #fill(block: Buffer, content: Buffer): number {
    const count = content.copy(block, this.#filled)
    this.#filled += count
    if (this.#filled === block.length) this.#closeBlock()
    return count
  }

  #closeBlock(): void {
    this.#block = undefined
    this.#filled = 0
  }
}

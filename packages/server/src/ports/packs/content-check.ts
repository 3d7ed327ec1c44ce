// Compares the contents of a pack with their hashes while the pack is read from its beginning to its end.
import { createHash, type Hash } from 'node:crypto'
import type { PackFile } from './pack-index.ts'

export class ContentCheck {
  /** In the order of their contents. */
  readonly #files: readonly PackFile[]
  readonly #damaged: string[] = []
  #next = 0
  #at = 0
  #hash: Hash | undefined

  constructor(files: Iterable<PackFile>) {
    this.#files = [...files].sort((a, b) => a.offset - b.offset || a.size - b.size)
  }

  /** Takes the bytes that follow those of the call before. */
  take(chunk: Buffer): void {
    const [from, to] = [this.#at, this.#at + chunk.length]
    this.#at = to
    for (let file = this.#files[this.#next]; file && file.offset < to; file = this.#files[this.#next]) {
      const end = file.offset + file.size
      this.#hash ??= createHash('sha256')
      this.#hash.update(chunk.subarray(Math.max(file.offset - from, 0), Math.min(end, to) - from))
      if (end > to) return
      this.#end(file)
    }
  }

  /** The paths of damaged files. Files that did not come are among them. */
  finish(): string[] {
    for (let file = this.#files[this.#next]; file; file = this.#files[this.#next]) {
      this.#hash ??= createHash('sha256')
      this.#end(file)
    }
    return this.#damaged
  }

  #end({ path, sha256 }: PackFile): void {
    if (this.#hash?.digest('hex') !== sha256) this.#damaged.push(path)
    this.#hash = undefined
    this.#next++
  }
}

// Writes a pack: files arrive as slices, are hashed and gathered into large blocks, and the index follows them.
import { createHash, type Hash, hash } from 'node:crypto'
import { encodeIndex, type IndexEntry } from './pack-index.ts'
import type { PackSink } from './port.ts'

const blockBytes = 1024 * 1024

/** Facts of a finished pack. */
export interface PackSummary {
  fileCount: number
  /** Sum of the files' sizes. */
  totalBytes: number
}

/**
 * `beginFile`, `write` and `endFile` are synchronous, so that a parser can call them; whoever feeds the parser
 * awaits `drain` between chunks, which keeps one block being filled and one under way to the sink.
 */
export class PackWriter {
  readonly #sink: PackSink
  readonly #entries = new Map<string, IndexEntry>()
  readonly #free: Buffer[] = []
  readonly #writes: Promise<void>[] = []
  #block: Buffer = Buffer.allocUnsafeSlow(blockBytes)
  #filled = 0
  #written = 0
  #file: OpenFile | undefined

  private constructor(sink: PackSink) {
    this.#sink = sink
  }

  static create(sink: PackSink): PackWriter {
    return new PackWriter(sink)
  }

  get fileCount(): number {
    return this.#entries.size
  }

  /** The last file of a path wins. */
  beginFile(path: string) {
    this.#file = { path, offset: this.#written + this.#filled, blockStart: this.#filled, hash: undefined }
  }

  write(slice: Buffer) {
    let taken = 0
    while (taken < slice.length) {
      const copied = slice.copy(this.#block, this.#filled, taken)
      taken += copied
      this.#filled += copied
      if (this.#filled === blockBytes) this.#nextBlock()
    }
  }

  endFile() {
    const file = this.#file
    if (file === undefined) throw new Error('endFile without beginFile')
    this.#file = undefined
    const rest = this.#block.subarray(file.blockStart, this.#filled)
    const sha256 = file.hash ? file.hash.update(rest).digest('binary') : hash('sha256', rest, 'binary')
    const size = this.#written + this.#filled - file.offset
    this.#entries.set(file.path, { path: file.path, offset: file.offset, size, sha256 })
  }

  /** Resolves when more may be written; rejects when the sink failed. */
  async drain(): Promise<void> {
    while (this.#writes.length > 1) await this.#writes[0]
  }

  /** A whole file at once. */
  async addFile(path: string, content: Buffer): Promise<void> {
    this.beginFile(path)
    for (let at = 0; at < content.length; at += blockBytes) {
      this.write(content.subarray(at, at + blockBytes))
      await this.drain()
    }
    this.endFile()
  }

  /** Writes the index and commits: the pack is durable and visible when it resolves. */
  async finish(): Promise<PackSummary> {
    const index = encodeIndex(this.#entries.values(), this.#written + this.#filled)
    this.write(index)
    if (this.#filled > 0) this.#nextBlock()
    await Promise.all(this.#writes)
    await this.#sink.commit()
    let totalBytes = 0
    for (const entry of this.#entries.values()) totalBytes += entry.size
    return { fileCount: this.#entries.size, totalBytes }
  }

  /** Leaves no trace of the pack. */
  async abort(): Promise<void> {
    await Promise.allSettled(this.#writes)
    await this.#sink.abort()
  }

  /** Hands the block to the sink, behind those before it, and goes on in a fresh or used one. */
  #nextBlock() {
    const block = this.#block
    const bytes = block.subarray(0, this.#filled)
    const file = this.#file
    if (file !== undefined) {
      file.hash ??= createHash('sha256')
      file.hash.update(bytes.subarray(file.blockStart))
      file.blockStart = 0
    }
    const before = this.#writes.at(-1) ?? Promise.resolve()
    const write = before
      .then(() => this.#sink.write(bytes))
      .then(() => {
        this.#writes.shift()
        this.#free.push(block)
      })
    // A failed write stays in the list, where drain and finish meet it; until then it is not unhandled.
    write.catch(() => undefined)
    this.#writes.push(write)
    this.#written += this.#filled
    this.#filled = 0
    this.#block = this.#free.pop() ?? Buffer.allocUnsafeSlow(blockBytes)
  }
}

interface OpenFile {
  path: string
  offset: number
  /** Where the part of the file that is not hashed yet begins in the block. */
  blockStart: number
  /** Only for files that do not lie in one block. */
  hash: Hash | undefined
}

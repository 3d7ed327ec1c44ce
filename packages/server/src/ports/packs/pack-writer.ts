// Writes a pack: hashes the slices of files, collects them in large blocks, and appends the index.
import { createHash, type Hash, hash } from 'node:crypto'
import { encodeIndex, type IndexEntry } from './pack-index.ts'
import type { PackSink } from './port.ts'

const blockBytes = 1024 * 1024

/** The size of a finished pack. */
interface PackSummary {
  fileCount: number
  /** The sum of the files' sizes. */
  totalBytes: number
}

/**
 * `beginFile`, `write` and `endFile` are synchronous, so that a parser can call them. The caller of the parser awaits
 * `drain` between chunks, so that at most one block is being filled and one is being written.
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

  /** Whether a complete file with this path was written. */
  has(path: string): boolean {
    return this.#entries.has(path)
  }

  /** The SHA-256 of the content in hex. `undefined` if there is no complete file with this path. */
  hashOf(path: string): string | undefined {
    const entry = this.#entries.get(path)
    return entry && Buffer.from(entry.sha256, 'latin1').toString('hex')
  }

  /** Begins a file. If a path is written twice, the last file wins. */
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

  /** Resolves when more may be written. Rejects if the sink failed. */
  async drain(): Promise<void> {
    while (this.#writes.length > 1) await this.#writes[0]
  }

  /** Writes a whole file. */
  async addFile(path: string, content: Buffer): Promise<void> {
    this.beginFile(path)
    for (let at = 0; at < content.length; at += blockBytes) {
      this.write(content.subarray(at, at + blockBytes))
      await this.drain()
    }
    this.endFile()
  }

  /** Writes the index and commits. The pack is durable and visible when this resolves. */
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

  /** Discards everything that was written. */
  async abort(): Promise<void> {
    await Promise.allSettled(this.#writes)
    await this.#sink.abort()
  }

  /** Passes the block to the sink after the earlier ones, and continues in a new or recycled block. */
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
    // `drain` and `finish` await the write and see its error. Until then it must not count as unhandled.
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
  /** The offset in the block of the part of the file that is not hashed yet. */
  blockStart: number
  /** Only for files that span several blocks. */
  hash: Hash | undefined
}

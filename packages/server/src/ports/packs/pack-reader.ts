// Reads a pack. Its index is kept in memory, and contents are read by range.
import type { Readable } from 'node:stream'
import { DamagedPack, footerBytes, indexOffset, type PackFile, PackIndex } from './pack-index.ts'
import type { PackSource, Packs } from './port.ts'

/** How much is read from the end first. For most deployments this contains the whole index. */
const tailBytes = 64 * 1024

export class PackReader {
  readonly #source: PackSource
  readonly #index: PackIndex

  private constructor(source: PackSource, index: PackIndex) {
    this.#source = source
    this.#index = index
  }

  /** `undefined` if there is no such pack. Throws `DamagedPack` if its index is damaged. */
  static async open(packs: Packs, id: string): Promise<PackReader | undefined> {
    const source = await packs.open(id)
    if (source === undefined) return undefined
    try {
      return new PackReader(source, await readIndex(source))
    } catch (error) {
      await source.close()
      throw error
    }
  }

  get fileCount(): number {
    return this.#index.count
  }

  /** The sum of the files' sizes. */
  get totalBytes(): number {
    return this.#index.totalBytes
  }

  /** The memory that the index takes. */
  get indexBytes(): number {
    return this.#index.bytes
  }

  find(path: string): PackFile | undefined {
    return this.#index.find(path)
  }

  files(): Generator<PackFile> {
    return this.#index.files()
  }

  read(file: PackFile): Promise<Buffer> {
    return this.#source.read(file.offset, file.size)
  }

  /** Reads from the beginning of `first` to the end of `last`, which is the same file or lies behind it. */
  readSpan(first: PackFile, last: PackFile): Promise<Buffer> {
    return this.#source.read(first.offset, last.offset + last.size - first.offset)
  }

  /** Streams the bytes from `start` up to, not including, `end`. */
  stream(file: PackFile, start = 0, end = file.size): Readable {
    if (start < 0 || end > file.size || start > end) throw new RangeError('The range lies outside the file')
    return this.#source.stream(file.offset + start, end - start)
  }

  /** Reads and streams in progress still finish. */
  close(): Promise<void> {
    return this.#source.close()
  }
}

async function readIndex(source: PackSource): Promise<PackIndex> {
  if (source.size < footerBytes) throw new DamagedPack('too short')
  const tailAt = Math.max(0, source.size - tailBytes)
  const tail = await source.read(tailAt, source.size - tailAt)
  const offset = indexOffset(tail.subarray(tail.length - footerBytes), source.size)
  // Copy it, so that a small index does not keep the large buffer in memory.
  if (offset >= tailAt) return new PackIndex(Buffer.from(tail.subarray(offset - tailAt)))
  return new PackIndex(await source.read(offset, source.size - offset))
}

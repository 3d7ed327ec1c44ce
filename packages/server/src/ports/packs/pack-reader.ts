// Reads a pack: its index is kept in memory, the contents are fetched by range.
import type { Readable } from 'node:stream'
import { DamagedPack, footerBytes, indexOffset, type PackFile, PackIndex } from './pack-index.ts'
import type { PackSource, Packs } from './port.ts'

/** Read first, from the end: for most deployments it holds the whole index, and one read is enough. */
const tailBytes = 64 * 1024

export class PackReader {
  readonly #source: PackSource
  readonly #index: PackIndex

  private constructor(source: PackSource, index: PackIndex) {
    this.#source = source
    this.#index = index
  }

  /** Undefined where there is no such pack; throws `DamagedPack` where its index cannot be trusted. */
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

  /** Sum of the files' sizes. */
  get totalBytes(): number {
    return this.#index.totalBytes
  }

  /** Memory that the index takes, for caches that count. */
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

  /** The bytes from `start` up to, not including, `end`. */
  stream(file: PackFile, start = 0, end = file.size): Readable {
    if (start < 0 || end > file.size || start > end) throw new RangeError('The range lies outside the file')
    return this.#source.stream(file.offset + start, end - start)
  }

  /** Reads and streams under way still come to their end. */
  close(): Promise<void> {
    return this.#source.close()
  }
}

async function readIndex(source: PackSource): Promise<PackIndex> {
  if (source.size < footerBytes) throw new DamagedPack('too short')
  const tailAt = Math.max(0, source.size - tailBytes)
  const tail = await source.read(tailAt, source.size - tailAt)
  const offset = indexOffset(tail.subarray(tail.length - footerBytes), source.size)
  // Copied out of the tail, so that a small index does not hold on to a large buffer.
  if (offset >= tailAt) return new PackIndex(Buffer.from(tail.subarray(offset - tailAt)))
  return new PackIndex(await source.read(offset, source.size - offset))
}

// Reads a pack. Its index is kept in memory, and contents are read by range.
import { createHash, hash, webcrypto } from 'node:crypto'
import type { Readable } from 'node:stream'
import { DamagedPack, footerBytes, indexOffset, type PackFile, PackIndex } from './pack-index.ts'
import type { PackSource, Packs } from './port.ts'

/** How much is read from the end first. For most deployments this contains the whole index. */
const tailBytes = 64 * 1024

/** Hashes of longer contents are computed on another thread. */
const hashedHereBytes = 64 * 1024

type OpenOther = () => Promise<PackSource | undefined>

export class PackReader {
  #source: PackSource
  readonly #index: PackIndex
  /** Opens the pack once more, after what was opened before proved damaged. `undefined` if there is no other copy. */
  readonly #openOther: OpenOther

  private constructor(source: PackSource, index: PackIndex, openOther: OpenOther) {
    this.#source = source
    this.#index = index
    this.#openOther = openOther
  }

  /** `undefined` if there is no such pack. Throws `DamagedPack` if its index is damaged and there is no other copy. */
  static async open(packs: Packs, id: string): Promise<PackReader | undefined> {
    const openOther = async () => ((await packs.distrust(id)) ? await packs.open(id) : undefined)
    const source = await packs.open(id)
    if (source === undefined) return undefined
    try {
      return await PackReader.#read(source, openOther)
    } catch (error) {
      const other = error instanceof DamagedPack ? await openOther() : undefined
      if (other === undefined) throw error
      return await PackReader.#read(other, async () => undefined)
    }
  }

  /** For a source that the caller closes. */
  static async of(source: PackSource): Promise<PackReader> {
    return new PackReader(source, await readIndex(source), async () => undefined)
  }

  static async #read(source: PackSource, openOther: OpenOther): Promise<PackReader> {
    try {
      return new PackReader(source, await readIndex(source), openOther)
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

  /** Throws `DamagedPack` if the content does not match its hash in any copy. */
  async read(file: PackFile): Promise<Buffer> {
    const first = await this.#checked(file)
    if (first !== undefined) return first
    const other = await this.#openOther()
    if (other !== undefined) {
      const damaged = this.#source
      this.#source = other
      await damaged.close()
    }
    const again = await this.#checked(file)
    if (again === undefined) throw new DamagedPack(`${file.path} does not match its checksum`)
    return again
  }

  /** Streams a whole file. Fails at its end if the content does not match its hash. */
  async *readPieces(file: PackFile): AsyncGenerator<Buffer> {
    const hash = createHash('sha256')
    for await (const piece of this.stream(file)) {
      hash.update(piece)
      yield piece
    }
    if (hash.digest('hex') !== file.sha256) throw new DamagedPack(`${file.path} does not match its checksum`)
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

  /** `undefined` if the content is damaged. */
  async #checked({ offset, size, sha256 }: PackFile): Promise<Buffer | undefined> {
    try {
      const bytes = await this.#source.read(offset, size)
      return (await sha256Of(bytes)) === sha256 ? bytes : undefined
    } catch (error) {
      // The pack is shorter than its index says.
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
}

async function sha256Of(bytes: Buffer): Promise<string> {
  if (bytes.length <= hashedHereBytes) return hash('sha256', bytes)
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex')
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

// One open pack file. It counts reads in progress, so that the file descriptor is not closed during a read.
import { close, fstat, open, read } from 'node:fs'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { PackSource } from './port.ts'

const openFile = promisify(open)
const closeFile = promisify(close)
const readFile = promisify(read)
const statFile = promisify(fstat)
const streamChunkBytes = 128 * 1024

export class DiskSource implements PackSource {
  readonly size: number
  readonly #fd: number
  #users = 1
  #closed = false

  private constructor(fd: number, size: number) {
    this.#fd = fd
    this.size = size
  }

  static async open(path: string): Promise<DiskSource | undefined> {
    const fd = await openFile(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (fd === undefined) return undefined
    try {
      return new DiskSource(fd, (await statFile(fd)).size)
    } catch (error) {
      await closeFile(fd)
      throw error
    }
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(length)
    for (let at = 0; at < length; ) at += await this.#readInto(bytes.subarray(at), offset + at)
    return bytes
  }

  stream(offset: number, length: number): Readable {
    this.#acquire()
    let at = offset
    const end = offset + length
    const readInto = (bytes: Buffer, from: number) => this.#readInto(bytes, from)
    return new Readable({
      // Nothing is read ahead: clients may ask for many files and take nothing of them.
      highWaterMark: 0,
      read() {
        if (at === end) return void this.push(null)
        const bytes = Buffer.allocUnsafeSlow(Math.min(streamChunkBytes, end - at))
        readInto(bytes, at).then(
          count => {
            at += count
            this.push(bytes.subarray(0, count))
          },
          error => this.destroy(error),
        )
      },
      destroy: (error, done) => {
        this.#release().then(
          () => done(error),
          failure => done(error ?? failure),
        )
      },
    })
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#release()
  }

  /** Keeps the descriptor open itself, because a stream may be destroyed during a read. */
  async #readInto(bytes: Buffer, offset: number): Promise<number> {
    this.#acquire()
    try {
      const { bytesRead } = await readFile(this.#fd, bytes, 0, bytes.length, offset)
      if (bytesRead === 0) throw new RangeError('The range goes beyond the end of the pack')
      return bytesRead
    } finally {
      await this.#release()
    }
  }

  #acquire() {
    if (this.#users === 0) throw new Error('The pack is closed')
    this.#users++
  }

  async #release(): Promise<void> {
    this.#users--
    if (this.#users === 0) await closeFile(this.#fd)
  }
}

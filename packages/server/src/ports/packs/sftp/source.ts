// Reads one file over SFTP. Several parts are asked for at a time.
import { Readable } from 'node:stream'
import type { PackSource } from '../port.ts'
import type { SftpClient } from './client.ts'
import { code, flags, long, number, string, type } from './messages.ts'

const partBytes = 32 * 1024
const partsUnderWay = 32

export class SftpSource implements PackSource {
  readonly size: number
  readonly #client: SftpClient
  readonly #handle: Buffer
  /** The source itself, and reads and streams in progress. */
  #users = 1
  #isClosed = false

  private constructor(client: SftpClient, handle: Buffer, size: number) {
    this.#client = client
    this.#handle = handle
    this.size = size
  }

  static async open(client: SftpClient, path: Buffer): Promise<SftpSource | undefined> {
    const found = await client.unless(code.missing, type.stat, path)
    const opened =
      found && (await client.unless(code.missing, type.open, path, number(flags.read), number(0)))
    return opened && new SftpSource(client, string(opened.fields.string()), found.fields.size() ?? 0)
  }

  async read(offset: number, length: number): Promise<Buffer> {
    this.#users++
    const chunks: Buffer[] = []
    try {
      for await (const chunk of this.#chunks(offset, length)) chunks.push(chunk)
    } finally {
      await this.#leave()
    }
    return Buffer.concat(chunks)
  }

  stream(offset: number, length: number): Readable {
    this.#users++
    const stream = Readable.from(this.#chunks(offset, length), { objectMode: false })
    // If the connection is gone, so is the handle.
    stream.once('close', () => void this.#leave().catch(() => undefined))
    return stream
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#leave()
  }

  /** The last one closes the handle. */
  async #leave(): Promise<void> {
    if (--this.#users === 0) await this.#client.request(type.close, this.#handle)
  }

  async *#chunks(offset: number, length: number): AsyncGenerator<Buffer> {
    const end = offset + length
    if (end > this.size) throw new RangeError('The range goes beyond the end of the pack')
    const asked: Promise<Buffer>[] = []
    let at = offset
    const ask = () => {
      const part = this.#part(at, Math.min(partBytes, end - at))
      // It may be abandoned.
      part.catch(() => undefined)
      asked.push(part)
      at += partBytes
    }
    while (at < end && asked.length < partsUnderWay) ask()
    for (let next = asked.shift(); next; next = asked.shift()) {
      yield await next
      if (at < end) ask()
    }
  }

  /** A server may answer with less than was asked for. */
  async #part(offset: number, length: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    for (let got = 0; got < length; ) {
      const request = [this.#handle, long(offset + got), number(length - got)]
      const { fields } = await this.#client.request(type.read, ...request)
      const chunk = fields.string()
      if (chunk.length === 0) throw new RangeError('The pack is shorter than it was')
      got += chunk.length
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }
}

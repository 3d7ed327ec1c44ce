// Reads one object of an S3 store by range. If a connection breaks, it continues where it stopped.
import { Readable } from 'node:stream'
import type { PackSource } from '../port.ts'
import { isPassing, pause, type S3Client, S3Failure } from './client.ts'

/** How many failures in a row, without a byte in between, end a read. */
const failuresAtMost = 3

export class S3Source implements PackSource {
  readonly size: number
  readonly #client: S3Client
  readonly #key: string
  readonly #etag: string

  private constructor(client: S3Client, key: string, size: number, etag: string) {
    this.#client = client
    this.#key = key
    this.size = size
    this.#etag = etag
  }

  static async open(client: S3Client, key: string): Promise<S3Source | undefined> {
    try {
      const { headers } = await client.send({ method: 'HEAD', key })
      return new S3Source(client, key, Number(headers['content-length']), headers.etag ?? '')
    } catch (error) {
      if (error instanceof S3Failure && error.status === 404) return undefined
      throw error
    }
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(length)
    let filled = 0
    for await (const chunk of this.#chunks(offset, length)) filled += chunk.copy(bytes, filled)
    return bytes
  }

  stream(offset: number, length: number): Readable {
    const given = new AbortController()
    const stream = Readable.from(this.#chunks(offset, length, given.signal), { objectMode: false })
    // A destroyed stream must not wait for a slow store.
    stream.once('close', () => given.abort())
    return stream
  }

  async close(): Promise<void> {
    // No connection stays open between reads.
  }

  async *#chunks(offset: number, length: number, signal?: AbortSignal): AsyncGenerator<Buffer> {
    const end = offset + length
    if (end > this.size) throw new RangeError('The range goes beyond the end of the pack')
    let failures = 0
    for (let at = offset; at < end; ) {
      try {
        for await (const chunk of this.#range(at, end, signal)) {
          at += chunk.length
          failures = 0
          yield chunk
        }
      } catch (error) {
        if (signal?.aborted || !isPassing(error) || ++failures === failuresAtMost) throw error
        await pause(failures, signal)
      }
    }
  }

  /** Either completes or throws. Never returns bytes of an object that replaced the opened one. */
  async *#range(start: number, end: number, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
    const headers = { range: `bytes=${start}-${end - 1}`, 'if-match': this.#etag }
    const response = await this.#client.open({ method: 'GET', key: this.#key, headers, signal })
    const { timeoutMs } = this.#client.settings
    response.setTimeout(timeoutMs, () => response.destroy(new Error('it stopped sending')))
    try {
      if (response.headers['content-range'] !== `bytes ${start}-${end - 1}/${this.size}`) {
        throw new S3Failure('The S3 store answered with another range than was asked for', 502, '')
      }
      let left = end - start
      for await (const chunk of response as AsyncIterable<Buffer>) {
        left -= chunk.length
        yield chunk
      }
      if (left !== 0) throw new Error('the answer was cut short')
    } catch (cause) {
      if (cause instanceof S3Failure) throw cause
      throw new S3Failure(`The S3 store failed while it was read: ${(cause as Error).message}`, 0, '', cause)
    } finally {
      response.destroy()
    }
  }
}

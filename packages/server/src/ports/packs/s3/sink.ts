// Writes one object to an S3 store. A large object is a multipart upload, whose parts are sent while the next one fills.
import { randomUUID } from 'node:crypto'
import type { PackSink } from '../port.ts'
import { type S3Client, S3Failure, xmlValue } from './client.ts'
import { type PartBuffers, partBytes } from './part-buffers.ts'
import type { Uploads } from './uploads.ts'

/** How many parts of one object are sent at a time. */
const partsUnderWay = 2
/** Distinguishes our object from one that another writer stored under the same key. */
const writerHeader = 'x-amz-meta-svc-writer'

interface SinkParts {
  client: S3Client
  key: string
  uploads: Uploads
  buffers: PartBuffers
}

export class S3Sink implements PackSink {
  readonly #client: S3Client
  readonly #key: string
  readonly #uploads: Uploads
  readonly #buffers: PartBuffers
  readonly #writer = randomUUID()
  readonly #etags: string[] = []
  readonly #underWay = new Set<Promise<void>>()
  #part: Buffer | undefined
  #filled = 0
  #upload: Promise<string> | undefined
  #failure: unknown
  #ended = false

  constructor({ client, key, uploads, buffers }: SinkParts) {
    this.#client = client
    this.#key = key
    this.#uploads = uploads
    this.#buffers = buffers
  }

  async write(bytes: Buffer): Promise<void> {
    for (let taken = 0; taken < bytes.length; ) {
      this.#part ??= this.#buffers.acquire()
      const copied = bytes.copy(this.#part, this.#filled, taken)
      taken += copied
      this.#filled += copied
      if (this.#filled === partBytes) await this.#sendPart()
    }
  }

  async commit(): Promise<void> {
    if (this.#upload === undefined) await this.#putWhole()
    else await this.#complete(await this.#upload)
    this.#ended = true
    this.#release()
  }

  async abort(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    await Promise.allSettled(this.#underWay)
    this.#release()
    // If starting the upload failed, there is nothing to abort.
    const upload = await this.#upload?.catch(() => undefined)
    if (upload !== undefined) await this.#uploads.abort(this.#key, upload)
  }

  /** Resolves when another part may be filled. */
  async #sendPart(): Promise<void> {
    this.#upload ??= this.#uploads.begin(this.#key, { [writerHeader]: this.#writer })
    const upload = await this.#upload
    const part = this.#part!
    const body = part.subarray(0, this.#filled)
    this.#part = undefined
    this.#filled = 0
    const number = this.#etags.push('')
    const { sent } = await this.#buffers.begin(() => this.#putPart(upload, number, body))
    const sending = sent
      .catch(error => {
        this.#failure ??= error
      })
      .finally(() => {
        this.#underWay.delete(sending)
        this.#buffers.giveBack(part)
      })
    this.#underWay.add(sending)
    while (this.#underWay.size >= partsUnderWay) await Promise.race(this.#underWay)
    if (this.#failure !== undefined) throw this.#failure
  }

  async #putPart(uploadId: string, number: number, body: Buffer): Promise<void> {
    if (this.#failure !== undefined) return
    const query = { partNumber: String(number), uploadId }
    const { headers } = await this.#client.send({ method: 'PUT', key: this.#key, query, body })
    this.#etags[number - 1] = headers.etag ?? ''
  }

  async #putWhole(): Promise<void> {
    const body = this.#part?.subarray(0, this.#filled) ?? Buffer.alloc(0)
    const headers = { [writerHeader]: this.#writer }
    await this.#neverTwice(condition =>
      this.#client.send({ method: 'PUT', key: this.#key, body, headers: { ...headers, ...condition } }),
    )
  }

  async #complete(uploadId: string): Promise<void> {
    if (this.#filled > 0) await this.#sendPart()
    await Promise.all(this.#underWay)
    if (this.#failure !== undefined) throw this.#failure
    const parts = this.#etags.map(
      (etag, i) =>
        `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag></Part>`,
    )
    const body = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
    )
    await this.#neverTwice(async headers => {
      const request = { method: 'POST', key: this.#key, query: { uploadId }, body, headers } as const
      const { text } = await this.#client.send(request)
      // S3 may answer 200 before it is done and report an error in the body.
      if (text.includes('<Error>')) {
        const code = xmlValue(text, 'Code') ?? ''
        throw new S3Failure(`The S3 store could not complete the upload: ${code}`, 500, code)
      }
    })
    await this.#uploads.forget(uploadId)
  }

  /** Writes with a condition, or if the store does not support that, after checking that the key is free. */
  async #neverTwice(write: (condition: Record<string, string>) => Promise<unknown>): Promise<void> {
    if ((await this.#writerOfObject()) !== undefined) throw this.#existsAlready()
    try {
      await write({ 'if-none-match': '*' }).catch(error => {
        if (!(error instanceof S3Failure) || error.status !== 501) throw error
        return write({})
      })
    } catch (error) {
      // The answer of an earlier attempt may have been lost, so that the retry found our own object.
      const writer = await this.#writerOfObject()
      if (writer === this.#writer) return
      throw writer === undefined ? error : this.#existsAlready()
    }
  }

  /** `undefined` if there is no object. Empty if it does not name its writer. */
  async #writerOfObject(): Promise<string | undefined> {
    try {
      const { headers } = await this.#client.send({ method: 'HEAD', key: this.#key })
      return String(headers[writerHeader] ?? '')
    } catch (error) {
      if (error instanceof S3Failure && error.status === 404) return undefined
      throw error
    }
  }

  #existsAlready(): Error {
    return new Error(`The object ${this.#key} exists already`)
  }

  #release() {
    if (this.#part !== undefined) this.#buffers.giveBack(this.#part)
    this.#part = undefined
  }
}

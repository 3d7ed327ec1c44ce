// Packs as objects of an S3 bucket, one object per pack.
import { randomUUID } from 'node:crypto'
import { checkPackId, type PackSink, type PackSource, type Packs } from '../port.ts'
import { S3Client, S3Failure, type S3Settings, xmlValue, xmlValues } from './client.ts'
import { PartBuffers } from './part-buffers.ts'
import { S3Sink } from './sink.ts'
import { S3Source } from './source.ts'
import { Uploads } from './uploads.ts'

const suffix = '.pack'
const ownerKey = 'owner'

export class S3Packs implements Packs {
  readonly #client: S3Client
  readonly #uploads: Uploads
  readonly #buffers = new PartBuffers()
  #writable = false

  /** `notesDir` is a local directory for notes about uploads in progress. */
  constructor(settings: S3Settings, notesDir: string) {
    this.#client = new S3Client(settings)
    this.#uploads = new Uploads(this.#client, notesDir)
  }

  async create(id: string): Promise<PackSink> {
    const key = keyOf(id)
    if ((await S3Source.open(this.#client, key)) !== undefined)
      throw new Error(`The pack ${id} exists already`)
    return new S3Sink({ client: this.#client, key, uploads: this.#uploads, buffers: this.#buffers })
  }

  async open(id: string): Promise<PackSource | undefined> {
    return S3Source.open(this.#client, keyOf(id))
  }

  async delete(id: string): Promise<void> {
    await this.#client.send({ method: 'DELETE', key: keyOf(id) })
  }

  async distrust(): Promise<boolean> {
    return false
  }

  async *list(): AsyncGenerator<string> {
    const { prefix } = this.#client.settings
    let more: string | undefined
    do {
      const query = { 'list-type': '2', prefix, ...(more !== undefined && { 'continuation-token': more }) }
      const { text } = await this.#client.send({ method: 'GET', query })
      for (const key of xmlValues(text, 'Key')) {
        const id = idOf(key.slice(prefix.length))
        if (id !== undefined) yield id
      }
      more = xmlValue(text, 'IsTruncated') === 'true' ? xmlValue(text, 'NextContinuationToken') : undefined
    } while (more !== undefined)
  }

  async claim(owner: string): Promise<string> {
    const known = await this.#owner()
    if (known !== undefined) return known
    const mark = { method: 'PUT', key: ownerKey, body: Buffer.from(owner) } as const
    try {
      await this.#client.send({ ...mark, headers: { 'if-none-match': '*' } })
    } catch (error) {
      const status = error instanceof S3Failure ? error.status : 0
      // The store does not support conditional writes (501), so write without one. An existing mark stays.
      if (status === 501) await this.#client.send(mark)
      else if (status !== 409 && status !== 412) throw error
    }
    return (await this.#owner()) ?? this.claim(owner)
  }

  async disclaim(owner: string): Promise<void> {
    if ((await this.#owner()) === owner) await this.#client.send({ method: 'DELETE', key: ownerKey })
  }

  async discardUnfinished(): Promise<void> {
    await this.#uploads.abortAbandoned()
  }

  /** Writes once. Later calls only check that the store answers, so that health checks are cheap. */
  async check(): Promise<void> {
    const { prefix } = this.#client.settings
    await this.#client.send({ method: 'GET', query: { 'list-type': '2', 'max-keys': '1', prefix } })
    if (this.#writable) return
    const key = `probe-${randomUUID()}`
    await this.#client.send({ method: 'PUT', key, body: Buffer.from('svcd') })
    await this.#client.send({ method: 'DELETE', key })
    this.#writable = true
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  async #owner(): Promise<string | undefined> {
    try {
      return (await this.#client.send({ method: 'GET', key: ownerKey })).text
    } catch (error) {
      if (error instanceof S3Failure && error.status === 404) return undefined
      throw error
    }
  }
}

function keyOf(id: string): string {
  checkPackId(id)
  return id + suffix
}

/** `undefined` for objects that are not packs. */
function idOf(key: string): string | undefined {
  if (!key.endsWith(suffix)) return undefined
  const id = key.slice(0, -suffix.length)
  try {
    checkPackId(id)
    return id
  } catch {
    return undefined
  }
}

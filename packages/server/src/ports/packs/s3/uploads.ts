// Multipart uploads of this machine. Each is recorded on disk while it is in progress, so that it can be aborted after a crash.
import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isLiving } from '../../../lib/processes.ts'
import { type S3Client, S3Failure, xmlValue } from './client.ts'

interface Note {
  key: string
  uploadId: string
}

export class Uploads {
  readonly #client: S3Client
  readonly #dir: string
  /** File names by upload. */
  readonly #notes = new Map<string, string>()

  constructor(client: S3Client, dir: string) {
    this.#client = client
    this.#dir = dir
  }

  async begin(key: string, headers: Record<string, string>): Promise<string> {
    const { text } = await this.#client.send({ method: 'POST', key, query: { uploads: '' }, headers })
    const uploadId = xmlValue(text, 'UploadId')
    if (!uploadId) throw new S3Failure('The S3 store began no upload', 502, '')
    try {
      await this.#note({ key, uploadId })
    } catch (error) {
      await this.abort(key, uploadId)
      throw error
    }
    return uploadId
  }

  /** Does nothing if the upload is already gone. */
  async abort(key: string, uploadId: string): Promise<void> {
    try {
      await this.#client.send({ method: 'DELETE', key, query: { uploadId } })
    } catch (error) {
      if (!(error instanceof S3Failure) || error.status !== 404) throw error
    }
    await this.forget(uploadId)
  }

  async forget(uploadId: string): Promise<void> {
    const name = this.#notes.get(uploadId)
    if (name === undefined) return
    await rm(join(this.#dir, name), { force: true })
    this.#notes.delete(uploadId)
  }

  /** Aborts uploads of dead processes. */
  async abortAbandoned(): Promise<void> {
    for (const name of await readdir(this.#dir).catch(ifMissing)) {
      const pid = Number(name.split('-')[0])
      if (pid !== process.pid && isLiving(pid)) continue
      const note = parse(await readFile(join(this.#dir, name), 'utf8'))
      if (note !== undefined) await this.abort(note.key, note.uploadId)
      await rm(join(this.#dir, name), { force: true })
    }
  }

  async #note(note: Note): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const name = `${process.pid}-${randomBytes(8).toString('hex')}`
    const file = await open(join(this.#dir, name), 'wx', 0o600)
    try {
      await file.writeFile(JSON.stringify(note))
    } finally {
      await file.close()
    }
    this.#notes.set(note.uploadId, name)
  }
}

/** A note that was cut short by a crash is ignored. The bucket's lifecycle rule removes such uploads. */
function parse(content: string): Note | undefined {
  try {
    return JSON.parse(content) as Note
  } catch {
    return undefined
  }
}

function ifMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}

// Writes a backup file: entries as they come, and at last the manifest before them.
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { tarEnd, tarHeader, tarPadding } from '@svc/contract/site'
import { Fault } from '../../lib/fault.ts'
import { afterManifest, manifestBytes, manifestName } from './format.ts'

export class ArchiveWriter {
  readonly #file: FileHandle
  readonly #manifestName: string
  #at = afterManifest
  #files = 0
  #hash: Hash = createHash('sha256')

  private constructor(file: FileHandle, manifest: string) {
    this.#file = file
    this.#manifestName = manifest
  }

  /** `file` must not exist. The name of the manifest says what kind of archive it is. */
  static async create(file: string, manifest: string = manifestName): Promise<ArchiveWriter> {
    return new ArchiveWriter(await open(file, 'wx', 0o600), manifest)
  }

  /** If the content cannot be read to its end, the archive stays as it was before. */
  async add(name: string, size: number, content: AsyncIterable<Buffer>): Promise<void> {
    const before = { at: this.#at, hash: this.#hash.copy() }
    try {
      await this.#append(tarHeader({ path: name, size }))
      const start = this.#at
      for await (const chunk of content) await this.#append(chunk)
      if (this.#at - start !== size)
        throw new Fault('unavailable', `${name} changed while it was read. Try again.`)
      await this.#append(tarPadding(size))
      this.#files++
    } catch (error) {
      this.#at = before.at
      this.#hash = before.hash
      throw error
    }
  }

  /** Adds all files of a directory. */
  async addTree(dir: string): Promise<void> {
    const found = await readdir(dir, { recursive: true, withFileTypes: true })
    const files = found
      .filter(entry => entry.isFile())
      .map(entry => path.join(entry.parentPath, entry.name))
      .sort()
    for (const file of files) await this.addFile(path.relative(dir, file).split(path.sep).join('/'), file)
  }

  async addFile(name: string, file: string): Promise<void> {
    const { size } = await stat(file)
    const content = size > 0 ? createReadStream(file, { end: size - 1, highWaterMark: 1024 ** 2 }) : nothing()
    await this.add(name, size, content)
  }

  /** Returns the size of the archive, which is durable then. */
  async finish(about: object): Promise<number> {
    await this.#append(tarEnd())
    await this.#file.truncate(this.#at)
    const manifest = { ...about, files: this.#files, sha256: this.#hash.digest('hex') }
    const text = `${JSON.stringify(manifest).padEnd(manifestBytes - 1)}\n`
    if (text.length !== manifestBytes) throw new Error('the manifest does not fit into its place')
    await this.#writeAt(tarHeader({ path: this.#manifestName, size: manifestBytes }), 0)
    await this.#writeAt(Buffer.from(text), afterManifest - manifestBytes)
    await this.#file.sync()
    return this.#at
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await this.#writeAt(bytes, this.#at)
    this.#hash.update(bytes)
    this.#at += bytes.length
  }

  async #writeAt(bytes: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; )
      done += (await this.#file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
  }
}

async function* nothing(): AsyncGenerator<Buffer> {
  // A stream cannot be told to read no bytes.
}

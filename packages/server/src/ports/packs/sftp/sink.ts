// Writes one file over SFTP under a temporary name, and renames it when it is whole.
import type { PackSink } from '../port.ts'
import type { SftpClient } from './client.ts'
import { code, long, string, type } from './messages.ts'

/** What every server takes in one message. */
const partBytes = 32 * 1024
const partsUnderWay = 64
const syncs = 'fsync@openssh.com'

interface SinkParts {
  handle: Buffer
  temporary: Buffer
  path: Buffer
}

export class SftpSink implements PackSink {
  readonly #client: SftpClient
  readonly #handle: Buffer
  readonly #temporary: Buffer
  readonly #path: Buffer
  readonly #underWay = new Set<Promise<void>>()
  #failure: unknown
  #at = 0
  #isOpen = true

  constructor(client: SftpClient, { handle, temporary, path }: SinkParts) {
    this.#client = client
    this.#handle = string(handle)
    this.#temporary = temporary
    this.#path = path
  }

  async write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += partBytes) {
      while (this.#underWay.size >= partsUnderWay) await Promise.race(this.#underWay)
      if (this.#failure !== undefined) throw this.#failure
      this.#send(bytes.subarray(at, at + partBytes))
    }
  }

  async commit(): Promise<void> {
    await Promise.all(this.#underWay)
    if (this.#failure !== undefined) throw this.#failure
    if (this.#client.knows(syncs)) await this.#client.request(type.extended, string(syncs), this.#handle)
    await this.#close()
    // This kind of renaming never replaces a file.
    await this.#client.request(type.rename, this.#temporary, this.#path)
  }

  async abort(): Promise<void> {
    await Promise.all(this.#underWay)
    await this.#close()
    await this.#client.unless(code.missing, type.remove, this.#temporary)
  }

  /** The message is a copy, so the caller may reuse the buffer. */
  #send(part: Buffer): void {
    const sent = this.#client.request(type.write, this.#handle, long(this.#at), string(part)).then(
      () => undefined,
      error => {
        this.#failure ??= error
      },
    )
    this.#at += part.length
    const done = sent.finally(() => this.#underWay.delete(done))
    this.#underWay.add(done)
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#client.request(type.close, this.#handle)
  }
}

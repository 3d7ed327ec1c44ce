// The body of an answer that is read from the storage while it is sent. It reads nothing before the client has room for it, and then
// holds what the storage gives at a time, 128 KB from a disk.
import type { Readable } from 'node:stream'
import type { StoredFile } from '../sources.ts'
import type { BodySource } from './body-source.ts'

export class StoredBody implements BodySource {
  readonly block = undefined
  readonly isEnded = false
  readonly trailers = undefined
  readonly isSoon = true
  readonly mayRepeat = true
  readonly #onChange: () => void
  #stream: Readable | undefined
  /** What was read, and how much of it was taken. */
  #read: Buffer | undefined
  #taken = 0
  #isReading = false
  #isOver = false
  #hasFailed = false

  /** `onChange` is called when the file is open, when something was read, and when that has failed. */
  constructor(file: Pick<StoredFile, 'open'>, onChange: () => void) {
    this.#onChange = onChange
    file.open().then(
      stream => this.#opened(stream),
      () => this.#fail(),
    )
  }

  /** Whether the file was found. Only then may an answer begin. */
  get isOpen(): boolean {
    return this.#stream !== undefined
  }

  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** How many bytes can be taken now. */
  get available(): number {
    return this.#read === undefined ? 0 : this.#read.length - this.#taken
  }

  /** Begins to read more. To be called when nothing is available. */
  readMore(): void {
    this.#isReading = true
    this.#advance()
  }

  /** Copies the next `length` bytes, which must be available. */
  take(into: Buffer, at: number, length: number): void {
    this.#read!.copy(into, at, this.#taken, this.#taken + length)
    this.#taken += length
    if (this.available === 0) this.#read = undefined
  }

  close(): void {
    this.#isOver = true
    this.#read = undefined
    this.#stream?.destroy()
  }

  #opened(stream: Readable | undefined): void {
    // Without this listener an error would end the process, also after `close`.
    stream?.on('error', () => this.#fail())
    if (this.#isOver) stream?.destroy()
    else if (stream === undefined) this.#fail()
    else {
      this.#stream = stream
      // It may end before all was sent, if the storage lost a part of the file.
      stream.on('end', () => this.#fail())
      this.#onChange()
    }
  }

  #advance(): void {
    const stream = this.#stream
    if (!this.#isReading || stream === undefined || this.#isOver) return
    const read = stream.read() as Buffer | null
    if (read === null) {
      if (stream.readableEnded || stream.destroyed) this.#fail()
      else if (stream.listenerCount('readable') === 0) stream.on('readable', () => this.#advance())
      return
    }
    this.#isReading = false
    this.#read = read
    this.#taken = 0
    this.#onChange()
  }

  /** What was read before is still sent. */
  #fail(): void {
    if (this.#isOver || this.available > 0) return
    this.#isOver = true
    this.#hasFailed = true
    this.#stream?.destroy()
    this.#onChange()
  }
}

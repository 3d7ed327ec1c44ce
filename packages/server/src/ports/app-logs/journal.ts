// One project's log on disk. Lines are appended with strictly growing times, so that a reader that continues after a time
// misses nothing and sees nothing twice. Only this process writes to it.
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises'
import { readBack } from './read-back.ts'
import { type Entry, formatRecord, recordOverhead } from './record.ts'
import { listSegments, segmentFile, trimTo } from './segments.ts'

export interface JournalSettings {
  /** The limit for all files of a project together. */
  bytesAtMost: number
  /** How much of a project may wait in memory for the disk. */
  waitingBytesAtMost: number
  onError: (error: unknown) => void
}

/** How many files a project's log has. The oldest is deleted when a new one is needed. */
const segments = 8
const batchBytes = 256 * 1024

export class Journal {
  readonly #dir: string
  readonly #settings: JournalSettings
  #waiting: Entry[] = []
  #waitingBytes = 0
  #working: Promise<void> | undefined
  /** The time of the last line. `undefined` until it was read from the disk. */
  #last: bigint | undefined
  #file: { handle: FileHandle; size: number } | undefined
  #users = 0
  #removed = false
  #lost = 0
  #isFailing = false

  constructor(dir: string, settings: JournalSettings) {
    this.#dir = dir
    this.#settings = settings
  }

  get inUse(): boolean {
    return this.#users > 0
  }

  /** The file stays open until every instance that joined has left. */
  join(): void {
    this.#users++
  }

  /** Resolves when everything appended so far is in the file. */
  async leave(): Promise<void> {
    this.#users--
    await this.written()
  }

  /** The disk is slow. Writers should pause, because `append` will soon refuse lines. */
  get isBehind(): boolean {
    return this.#waitingBytes > this.#settings.waitingBytesAtMost / 2
  }

  /** Returns false and drops the line if the disk cannot keep up. */
  append(entry: Entry): boolean {
    const bytes = entry.line.length + recordOverhead
    if (this.#waitingBytes + bytes > this.#settings.waitingBytesAtMost) return false
    if (this.#removed) return true
    this.#waiting.push(entry)
    this.#waitingBytes += bytes
    this.written().catch(this.#settings.onError)
    return true
  }

  /** The number of accepted lines that could not be written since the last call. */
  takeLost(): number {
    const lost = this.#lost
    this.#lost = 0
    return lost
  }

  written(): Promise<void> {
    this.#working ??= this.#work().finally(async () => {
      this.#working = undefined
      // Lines may have arrived while the file was being closed.
      if (this.#waiting.length > 0) this.written().catch(this.#settings.onError)
      // The last user may have left after `#work` found that the file is in use.
      else if (!this.inUse && this.#file) await this.written()
    })
    return this.#working
  }

  /** Deletes the log. Later lines are dropped. */
  async remove(): Promise<void> {
    this.#removed = true
    this.#waiting = []
    this.#waitingBytes = 0
    await this.written()
    await this.#closeFile()
    await rm(this.#dir, { recursive: true, force: true })
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch()
      try {
        await this.#write(batch)
        this.#isFailing = false
      } catch (error) {
        for (const { missing = 1 } of batch) this.#lost += missing
        await this.#giveUp(error)
      }
    }
    if (!this.inUse) await this.#closeFile()
  }

  /** Reports an error once until writing works again, so that a full disk does not fill svcd's own log. */
  async #giveUp(error: unknown): Promise<void> {
    if (!this.#isFailing) this.#settings.onError(error)
    this.#isFailing = true
    // A part may have been written. If it cannot be cut off, the next line goes to a new file.
    await this.#file?.handle.truncate(this.#file.size).catch(() => this.#closeFile())
  }

  #takeBatch(): Entry[] {
    let bytes = 0
    let count = 0
    while (count < this.#waiting.length && bytes < batchBytes)
      bytes += (this.#waiting[count++]?.line.length ?? 0) + recordOverhead
    this.#waitingBytes -= bytes
    return this.#waiting.splice(0, count)
  }

  async #write(batch: Entry[]): Promise<void> {
    let last = this.#last ?? (await this.#lastTime())
    const parts: Buffer[] = []
    const first = later(batch[0]?.at ?? 0n, last)
    for (const entry of batch) {
      last = later(entry.at, last)
      parts.push(...formatRecord({ ...entry, at: last }))
    }
    this.#last = last
    const bytes = Buffer.concat(parts)
    const file = await this.#fileFor(first, bytes.length)
    if (this.#removed) return
    await file.handle.appendFile(bytes)
    file.size += bytes.length
  }

  async #lastTime(): Promise<bigint> {
    const [line] = await readBack(this.#dir, { tail: 1, bytes: Number.POSITIVE_INFINITY })
    const newest = (await listSegments(this.#dir)).at(-1)
    const times = [line?.at ?? 0n, newest?.first ?? 0n]
    return times.reduce((a, b) => (a > b ? a : b))
  }

  /** The newest file, or a new one if it is full. */
  async #fileFor(first: bigint, bytes: number): Promise<{ handle: FileHandle; size: number }> {
    const segmentBytes = Math.floor(this.#settings.bytesAtMost / segments)
    // The operator may have deleted the file.
    if ((await this.#file?.handle.stat())?.nlink === 0) await this.#closeFile()
    this.#file ??= await this.#reopen()
    if (this.#file && this.#file.size + bytes <= segmentBytes) return this.#file
    await this.#closeFile()
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    await trimTo(this.#dir, this.#settings.bytesAtMost - segmentBytes)
    const handle = await open(segmentFile(this.#dir, first), 'a', 0o600)
    this.#file = { handle, size: 0 }
    return this.#file
  }

  /** `undefined` if there is none, or if its last line is incomplete, because the next line would be appended to it. */
  async #reopen(): Promise<{ handle: FileHandle; size: number } | undefined> {
    const newest = (await listSegments(this.#dir)).at(-1)
    if (!newest) return undefined
    const { size } = await stat(newest.file)
    const handle = await open(newest.file, 'a+', 0o600)
    try {
      const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
      if (size === 0 || buffer[0] === 0x0a) return { handle, size }
    } catch (error) {
      await handle.close()
      throw error
    }
    await handle.close()
    return undefined
  }

  async #closeFile(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.handle.close().catch(this.#settings.onError)
  }
}

/** `at`, or one nanosecond after `last` if `at` is not later. */
const later = (at: bigint, last: bigint): bigint => (at > last ? at : last + 1n)

// Packs as files of one directory. A pack is written under a temporary name, synced, then linked to its final name.
import { type FileHandle, link, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isLiving } from '../../lib/processes.ts'
import { DiskSource } from './disk-source.ts'
import { checkPackId, type PackSink, type PackSource, type Packs, StorageFailure } from './port.ts'

const suffix = '.pack'
/** Id, process id and a random number for each writer. */
const unfinishedPattern = /\.(\d+)-[0-9a-f]+\.tmp$/
/** How often data is synced, so that little is left for the last sync. */
const syncEveryBytes = 16 * 1024 * 1024

export class DiskPacks implements Packs {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  async create(id: string): Promise<PackSink> {
    const path = this.#path(id)
    const temporary = join(this.#dir, `${id}.${process.pid}-${randomHex()}.tmp`)
    const file = await onDisk(async () => {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      if (await exists(path)) throw new Error(`The pack ${id} exists already`)
      return open(temporary, 'wx', 0o600)
    })
    return new DiskSink(file, temporary, path, this.#dir)
  }

  async open(id: string): Promise<PackSource | undefined> {
    return DiskSource.open(this.#path(id))
  }

  async delete(id: string): Promise<void> {
    if (await remove(this.#path(id))) await syncDirectory(this.#dir)
  }

  async distrust(): Promise<boolean> {
    return false
  }

  async *list(): AsyncGenerator<string> {
    for (const name of (await names(this.#dir)).sort()) {
      if (name.endsWith(suffix)) yield name.slice(0, -suffix.length)
    }
  }

  async claim(owner: string): Promise<string> {
    const path = join(this.#dir, 'owner')
    return onDisk(async () => {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      if (!(await exists(path))) await this.#writeOnce(path, owner)
      return readFile(path, 'utf8')
    })
  }

  async disclaim(owner: string): Promise<void> {
    const path = join(this.#dir, 'owner')
    if (!(await exists(path)) || (await readFile(path, 'utf8')) !== owner) return
    if (await remove(path)) await syncDirectory(this.#dir)
  }

  async discardUnfinished(): Promise<void> {
    for (const name of await names(this.#dir)) {
      const pid = unfinishedPattern.exec(name)?.[1]
      if (pid !== undefined && !belongsToOther(Number(pid))) await rm(join(this.#dir, name), { force: true })
    }
  }

  async check(): Promise<void> {
    const probe = join(this.#dir, `probe.${process.pid}-${randomHex()}.tmp`)
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      const file = await open(probe, 'wx', 0o600)
      await file.close()
      await rm(probe)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`Deployments cannot be written to ${this.#dir}: ${reason}`, { cause })
    }
  }

  async close(): Promise<void> {
    // There is no background work.
  }

  /** If several processes write at the same time, the first one wins, and its content is complete. */
  async #writeOnce(path: string, content: string): Promise<void> {
    const temporary = `${path}.${process.pid}-${randomHex()}.tmp`
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600, flush: true })
    await link(temporary, path).catch(error => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    })
    await rm(temporary)
    await syncDirectory(this.#dir)
  }

  #path(id: string): string {
    checkPackId(id)
    return join(this.#dir, id + suffix)
  }
}

class DiskSink implements PackSink {
  readonly #file: FileHandle
  readonly #temporary: string
  readonly #path: string
  readonly #dir: string
  #unsynced = 0
  #syncing: Promise<void> | undefined
  #ended = false

  constructor(file: FileHandle, temporary: string, path: string, dir: string) {
    this.#file = file
    this.#temporary = temporary
    this.#path = path
    this.#dir = dir
  }

  async write(bytes: Buffer): Promise<void> {
    await onDisk(async () => {
      for (let at = 0; at < bytes.length; ) {
        at += (await this.#file.write(bytes, at, bytes.length - at)).bytesWritten
      }
    })
    this.#unsynced += bytes.length
    if (this.#unsynced >= syncEveryBytes && this.#syncing === undefined) this.#syncEarly()
  }

  async commit(): Promise<void> {
    await onDisk(async () => {
      await this.#syncing
      await this.#file.datasync()
      await this.#close()
      // Unlike a rename, a link never replaces an existing pack.
      await link(this.#temporary, this.#path)
      await rm(this.#temporary)
      await syncDirectory(this.#dir)
    })
  }

  async abort(): Promise<void> {
    await this.#syncing?.catch(() => undefined) // what is thrown away need not be synced
    await this.#close()
    await rm(this.#temporary, { force: true })
  }

  #syncEarly() {
    this.#unsynced = 0
    this.#syncing = this.#file.datasync().then(() => {
      this.#syncing = undefined
    })
    // `commit` awaits this promise, so the error is not lost.
    this.#syncing.catch(() => undefined)
  }

  async #close(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    await this.#file.close()
  }
}

const noRoom = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Turns system errors into StorageFailure. Other errors are rethrown. */
async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const { code, syscall, message } = cause as NodeJS.ErrnoException
    if (code === undefined || syscall === undefined) throw cause
    throw new StorageFailure(`Deployments cannot be written: ${message}`, { cause, full: noRoom.has(code) })
  }
}

async function names(dir: string): Promise<string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Returns false if the file did not exist. */
async function remove(path: string): Promise<boolean> {
  try {
    await rm(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Another living process may still be writing. A process id equal to ours belongs to an earlier, dead process. */
function belongsToOther(pid: number): boolean {
  return pid !== process.pid && isLiving(pid)
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

function randomHex(): string {
  return Math.random().toString(16).slice(2)
}

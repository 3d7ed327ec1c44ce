// Copies of rows on the disk of a node, sealed with the platform's key. Each is a file of its own and replaced atomically, so a
// crash leaves the old copy, the new one, or none.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { open, readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { hourMs } from '@svc/contract/durations'
import type { RowPlace } from '../../core/base/row-source.ts'
import { sha256 } from '../../lib/ids.ts'
import type { Keyring, Sealed } from '../../lib/seal.ts'

/** What a change makes stale together. */
export type Owner = Pick<RowPlace, 'topic' | 'key'>

interface Copy extends RowPlace {
  rows: readonly object[]
}

export class CopyFiles {
  readonly #dir: string
  readonly #keyring: Keyring

  constructor(dir: string, keyring: Keyring) {
    this.#dir = dir
    this.#keyring = keyring
  }

  get isEmpty(): boolean {
    try {
      return readdirSync(this.#dir).length === 0
    } catch {
      return true // The directory does not exist.
    }
  }

  /** `undefined` if there is no copy, or none that the keys of this node open. */
  async read(place: RowPlace): Promise<readonly object[] | undefined> {
    return (await this.#open(folderOf(place), fileOf(place)))?.rows
  }

  /** `isOutdated` is asked when the copy is about to be in place. */
  async write(place: RowPlace, rows: readonly object[], isOutdated: () => boolean): Promise<void> {
    const [folder, name] = [folderOf(place), fileOf(place)]
    const copy = JSON.stringify({ ...place, rows } satisfies Copy)
    if (JSON.stringify(await this.#open(folder, name)) === copy) return
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
    const temporary = path.join(this.#dir, `${randomBytes(8).toString('hex')}${unfinished}`)
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(JSON.stringify(this.#keyring.current.seal(copy, [...sealedAt, folder, name])))
      await file.sync()
    } finally {
      await file.close()
    }
    // Without a wait between the question and the answer.
    if (isOutdated()) return rmSync(temporary, { force: true })
    mkdirSync(path.join(this.#dir, folder), { recursive: true, mode: 0o700 })
    renameSync(temporary, path.join(this.#dir, folder, name))
  }

  /** Deletes one copy. */
  async delete(place: RowPlace): Promise<void> {
    await rm(path.join(this.#dir, folderOf(place), fileOf(place)), { force: true })
  }

  /** Deletes all copies of the owner before it returns, so that a crash does not leave them. Returns whether there were some. */
  drop(owner: Owner): boolean {
    try {
      rmSync(path.join(this.#dir, folderOf(owner)), { recursive: true })
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
  }

  /** Drops all copies before it returns. Yields their owners later, and then deletes the files. */
  dropAll(): AsyncIterable<Owner> {
    const aside = `${this.#dir}${setAside}${randomBytes(8).toString('hex')}`
    try {
      renameSync(this.#dir, aside)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    return this.#ownersIn(aside)
  }

  async *#ownersIn(aside: string): AsyncGenerator<Owner> {
    try {
      for (const folder of await readdir(aside).catch(() => [] as string[]))
        for (const name of await readdir(path.join(aside, folder)).catch(() => [] as string[])) {
          const copy = await this.#open(folder, name, aside)
          if (copy) yield { topic: copy.topic, key: copy.key }
        }
    } finally {
      await removeAll(aside)
    }
  }

  /** Says that these are in use. */
  async touch(owners: Iterable<Owner>): Promise<void> {
    const now = new Date()
    for (const owner of owners)
      await utimes(path.join(this.#dir, folderOf(owner)), now, now).catch(() => undefined) // It has no copy.
  }

  /** Deletes what a crash left, and of more than `atMost` owners those that were not used for the longest time. */
  async prune(atMost: number): Promise<void> {
    const parent = path.dirname(this.#dir)
    for (const name of await readdir(parent))
      if (name.startsWith(path.basename(this.#dir) + setAside)) await removeAll(path.join(parent, name))
    const folders: { file: string; usedAt: number }[] = []
    for (const name of await readdir(this.#dir).catch(() => [] as string[])) {
      const file = path.join(this.#dir, name)
      const usedAt = (await stat(file).catch(() => undefined))?.mtimeMs ?? 0
      if (!name.endsWith(unfinished)) folders.push({ file, usedAt })
      else if (usedAt < Date.now() - hourMs) await removeAll(file)
    }
    folders.sort((a, b) => a.usedAt - b.usedAt)
    for (const { file } of folders.slice(0, Math.max(0, folders.length - atMost))) await removeAll(file)
  }

  async #open(folder: string, name: string, dir = this.#dir): Promise<Copy | undefined> {
    try {
      const sealed = JSON.parse(await readFile(path.join(dir, folder, name), 'utf8')) as Sealed
      return JSON.parse(this.#keyring.open(sealed, [...sealedAt, folder, name])) as Copy
    } catch {
      return undefined // There is none, it is damaged, or its key is gone. Each of them means that nothing is known.
    }
  }
}

const unfinished = '.tmp'
const setAside = '.aside-'
const sealedAt = ['copies of the edge']

const folderOf = ({ topic, key }: Owner): string => sha256(`${topic} ${key}`).slice(0, 32)
const fileOf = ({ part }: RowPlace): string => sha256(part).slice(0, 32)
const removeAll = (file: string): Promise<void> => rm(file, { recursive: true, force: true })

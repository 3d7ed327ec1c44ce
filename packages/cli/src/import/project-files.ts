// Reads the files of the directory that is imported. It may come from a stranger: only regular files inside the directory
// are read, no link is followed, and sizes and numbers of entries are bounded.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
} from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { Failure, fileFailure } from '../failure.ts'

/** The largest file that is read. Configuration files are small, and a larger one is a mistake or an attack. */
const mostBytes = 1024 * 1024
const mostEntries = 2_000

export class ProjectFiles {
  readonly root: string
  /** Paths of the files that were read, for the report. */
  readonly read = new Set<string>()

  constructor(root: string) {
    this.root = realpathSync(root)
  }

  /** The text of a file, without a byte order mark. Undefined if there is none. */
  text(path: string): string | undefined {
    if (this.#kind(path) !== 'file') return undefined
    const bytes = this.#bytes(path)
    this.read.add(path)
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch (cause) {
      throw new Failure(`${path} is not UTF-8 text. Correct or remove it, and run 'svc import' again.`, {
        cause,
      })
    }
  }

  /** Whether a file contains a text. `false` if the file cannot be read or is too large. */
  contains(path: string, text: string): boolean {
    try {
      return this.#kind(path) === 'file' && this.#bytes(path).includes(text)
    } catch (error) {
      if (error instanceof Failure) return false
      throw error
    }
  }

  hasFile = (path: string): boolean => this.#kind(path) === 'file'
  hasFolder = (path: string): boolean => this.#kind(path) === 'folder'

  /** Whether there is anything at the path, such as a link. */
  exists(path: string): boolean {
    return lstatSync(join(this.root, path), { throwIfNoEntry: false }) !== undefined
  }

  /** The names of the regular files in a folder and the folders below it, at most `depth` deep, sorted. */
  list(folder: string, depth = 4): string[] {
    const found: string[] = []
    this.#collect(folder, depth, found)
    return found.sort()
  }

  #collect(folder: string, depth: number, found: string[]): void {
    if (!this.hasFolder(folder)) return
    for (const entry of readdirSync(join(this.root, folder), { withFileTypes: true })) {
      if (found.length >= mostEntries) return
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isFile()) found.push(path)
      else if (entry.isDirectory() && depth > 1 && entry.name !== 'node_modules')
        this.#collect(path, depth - 1, found)
    }
  }

  /** Undefined if it is missing, a link, or reached through a link that leads out of the directory. */
  #kind(path: string): 'file' | 'folder' | undefined {
    const full = join(this.root, path)
    if (full !== this.root && !full.startsWith(this.root + sep)) return undefined
    try {
      const parent = full === this.root ? full : realpathSync(dirname(full))
      if (parent !== this.root && !parent.startsWith(this.root + sep)) return undefined
      const stats = lstatSync(full)
      return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : undefined
    } catch {
      return undefined // A file that cannot be read counts as missing.
    }
  }

  #bytes(path: string): Buffer {
    let file: number | undefined
    try {
      file = openSync(join(this.root, path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
      if (fstatSync(file).size > mostBytes)
        throw new Failure(`${path} is larger than 1 MB. 'svc import' does not read it; shorten or move it.`)
      const buffer = Buffer.alloc(mostBytes)
      let length = 0
      for (let n = -1; n !== 0 && length < mostBytes; length += n)
        n = readSync(file, buffer, length, mostBytes - length, null)
      return buffer.subarray(0, length)
    } catch (error) {
      throw error instanceof Failure ? error : fileFailure('read', path, error)
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }
}

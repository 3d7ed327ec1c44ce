// Reads a backup file into a directory. Refuses files that `svcd backup` did not write, and files that were cut off.
import { closeSync, createReadStream, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { Fault } from '../../lib/fault.ts'
import { TarParser } from '../../lib/tar.ts'
import { type Manifest, manifestName, parts } from './format.ts'

/** Returns the manifest of the backup. */
export async function readArchive(file: string, dir: string): Promise<Manifest> {
  const extraction = new Extraction(dir)
  const parser = new TarParser(extraction, { entriesAtMost: Number.POSITIVE_INFINITY })
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 }))
      parser.write(chunk as Buffer)
    parser.end()
    return extraction.finish()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'open' && (error as NodeJS.ErrnoException).path === file)
      throw new Fault('not_found', `${file} cannot be read: ${(error as Error).message}`)
    if (error instanceof Fault || error instanceof SyntaxError)
      throw new Fault('invalid_archive', `${file} is not a backup of svcd, or it is incomplete.`, {
        cause: error,
      })
    throw error
  } finally {
    extraction.close()
  }
}

class Extraction {
  readonly #dir: string
  readonly #made = new Set<string>()
  #output: number | undefined
  #files = 0

  constructor(dir: string) {
    this.#dir = dir
  }

  onFile({ path: name }: { path: Buffer }): void {
    const target = this.#placeOf(name.toString())
    this.#makeDirectory(path.dirname(target))
    this.#output = openSync(target, 'wx', 0o600)
    this.#files++
  }

  onData(slice: Buffer): void {
    for (let at = 0; at < slice.length; ) at += writeSync(this.#output!, slice, at)
  }

  onFileEnd(): void {
    fsyncSync(this.#output!)
    this.close()
  }

  close(): void {
    if (this.#output !== undefined) closeSync(this.#output)
    this.#output = undefined
  }

  finish(): Manifest {
    if (this.#files === 0) throw new Fault('invalid_archive', 'The archive is empty.')
    const manifest = JSON.parse(readFileSync(path.join(this.#dir, manifestName), 'utf8')) as Manifest
    if (manifest.format !== 1 || manifest.files !== this.#files - 1)
      throw new Fault('invalid_archive', 'The number of files is not that of the manifest.')
    return manifest
  }

  #placeOf(name: string): string {
    const segments = name.split('/')
    const isExpected =
      this.#files === 0 ? name === manifestName : (parts as readonly string[]).includes(segments[0]!)
    if (!isExpected || segments.some(part => part === '' || part === '.' || part === '..'))
      throw new Fault('invalid_archive', 'A file of the archive does not belong into a backup.')
    // git takes a directory for a repository only if it has these directories, which may be empty.
    if (segments[0] === 'git' && segments[2] === 'HEAD')
      for (const part of ['objects', 'refs'])
        this.#makeDirectory(path.join(this.#dir, 'git', segments[1]!, part))
    return path.join(this.#dir, ...segments)
  }

  #makeDirectory(dir: string): void {
    if (this.#made.has(dir)) return
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    this.#made.add(dir)
  }
}

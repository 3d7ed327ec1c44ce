// Reads a backup file. Refuses files that `svcd backup` did not write, that were cut off, or that changed since.
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { asCaller } from '../../data-owner.ts'
import { Fault } from '../../lib/fault.ts'
import { repositoryConfig } from '../../lib/git/settings.ts'
import { syncDirectory } from '../../lib/sync-directory.ts'
import { type TarHandlers, TarParser } from '../../lib/tar.ts'
import type { PackSink } from '../../ports/packs/port.ts'
import {
  afterManifest,
  belongs,
  databaseName,
  isLeftOut,
  isManifest,
  type Manifest,
  manifestName,
  packIdOf,
} from './format.ts'
import { DamagedObject } from './repository/encryption.ts'

export const manifestBytesAtMost = 64 * 1024

/** A backup file, or something in its form. It can be read more than once. */
export interface ArchiveSource {
  stream(): AsyncIterable<Buffer>
  /** May leave out everything but the packs. */
  packs(): AsyncIterable<Buffer>
  /** What to say if the content cannot be used. */
  refusal(cause: unknown): Fault
}

export const archiveFile = (file: string, kind = 'a backup of svcd'): ArchiveSource => ({
  stream: () => contentOf(file),
  packs: () => contentOf(file),
  refusal: cause =>
    new Fault('invalid_archive', `${file} is not ${kind}, or it is incomplete or damaged.`, { cause }),
})

/** The file belongs to the caller of the command. */
async function* contentOf(file: string): AsyncGenerator<Buffer> {
  const handle = await asCaller(() => open(file)).catch(error => {
    throw new Unreadable('not_found', `${file} cannot be read: ${(error as Error).message}`)
  })
  yield* handle.createReadStream({ highWaterMark: 1024 ** 2 }) as AsyncIterable<Buffer>
}

/** The file cannot be opened, so nothing is known about its content. */
class Unreadable extends Fault {}

interface ReadArchive {
  manifest: Manifest
  packIds: string[]
}

/** Unpacks the archive into `dir`, without the packs if they go elsewhere. All files are durable then. */
export async function readArchive(
  source: ArchiveSource,
  dir: string,
  withPacks: boolean,
): Promise<ReadArchive> {
  const extraction = new Extraction(dir, withPacks)
  try {
    const manifest = await readWhole(source, extraction)
    extraction.sync()
    return { manifest, packIds: extraction.packIds }
  } finally {
    extraction.close()
  }
}

/** Reads an archive to its end. `finish` of the handlers returns the manifest, which must be that of these bytes. */
export async function readWhole<M extends { sha256?: string }>(
  source: ArchiveSource,
  handlers: TarHandlers & { finish(): M },
): Promise<M> {
  const hash = createHash('sha256')
  try {
    await parse(source.stream(), handlers, (chunk, at) => {
      if (at + chunk.length > afterManifest) hash.update(chunk.subarray(Math.max(0, afterManifest - at)))
    })
    const manifest = handlers.finish()
    if (manifest.sha256 !== undefined && manifest.sha256 !== hash.digest('hex'))
      throw new Fault('invalid_archive', 'The content is not that of the manifest.')
    return manifest
  } catch (error) {
    throw isRefusal(error) ? source.refusal(error) : error
  }
}

/** Gives each pack of an archive to a sink. `readArchive` has checked the archive before. */
export async function readPacks(
  source: ArchiveSource,
  create: (id: string) => Promise<PackSink>,
): Promise<void> {
  const steps: (() => Promise<unknown>)[] = []
  let isPack = false
  const writing: { sink?: PackSink } = {}
  const handlers: TarHandlers = {
    onFile: ({ path: name }) => {
      const id = packIdOf(name.toString())
      isPack = id !== undefined
      if (id !== undefined)
        steps.push(async () => {
          writing.sink = await create(id)
        })
    },
    onData: slice => {
      if (isPack) steps.push(async () => writing.sink!.write(slice))
    },
    onFileEnd: () => {
      if (isPack) steps.push(async () => writing.sink!.commit())
    },
  }
  try {
    await parse(source.packs(), handlers, async () => {
      for (const step of steps.splice(0)) await step()
    })
  } catch (error) {
    await writing.sink?.abort()
    throw error
  }
}

/** `after` sees each chunk when the handlers have seen it, with its position. */
async function parse(
  content: AsyncIterable<Buffer>,
  handlers: TarHandlers,
  after: (chunk: Buffer, at: number) => Promise<void> | void,
): Promise<void> {
  const parser = new TarParser(handlers, { entriesAtMost: Number.POSITIVE_INFINITY })
  let at = 0
  for await (const chunk of content) {
    parser.write(chunk)
    await after(chunk, at)
    at += chunk.length
  }
  parser.end()
}

class Extraction implements TarHandlers {
  readonly packIds: string[] = []
  readonly #dir: string
  readonly #withPacks: boolean
  readonly #made = new Set<string>()
  #output: number | undefined
  #files = 0

  constructor(dir: string, withPacks: boolean) {
    this.#dir = dir
    this.#withPacks = withPacks
  }

  onFile({ path: raw, size }: { path: Buffer; size: number }): void {
    const name = raw.toString()
    const isExpected =
      this.#files === 0 ? name === manifestName && size <= manifestBytesAtMost : belongs(name)
    if (!isExpected)
      throw new Fault('invalid_archive', 'A file of the archive does not belong into a backup.')
    this.#files++
    const packId = packIdOf(name)
    if (packId !== undefined) this.packIds.push(packId)
    if (isLeftOut(name) || (!this.#withPacks && name.startsWith('packs/'))) return
    const target = path.join(this.#dir, ...name.split('/'))
    this.#makeDirectory(path.dirname(target))
    this.#makeRepository(name.split('/'))
    this.#output = openSync(target, 'wx', 0o600)
  }

  onData(slice: Buffer): void {
    if (this.#output === undefined) return
    for (let at = 0; at < slice.length; ) at += writeSync(this.#output, slice, at)
  }

  onFileEnd(): void {
    if (this.#output !== undefined) fsyncSync(this.#output)
    this.close()
  }

  close(): void {
    if (this.#output !== undefined) closeSync(this.#output)
    this.#output = undefined
  }

  finish(): Manifest {
    if (this.#files === 0) throw new Fault('invalid_archive', 'The archive is empty.')
    const manifest: unknown = JSON.parse(readFileSync(path.join(this.#dir, manifestName), 'utf8'))
    if (!isManifest(manifest) || manifest.files !== this.#files - 1)
      throw new Fault('invalid_archive', 'The number of files is not that of the manifest.')
    const needed = manifest.has_key ? [databaseName, 'secret.key'] : [databaseName]
    if (!needed.every(name => existsSync(path.join(this.#dir, name))))
      throw new Fault('invalid_archive', 'The database or the key is missing.')
    return manifest
  }

  /** Makes the names of the files durable. */
  sync(): void {
    for (const dir of this.#made) syncDirectory(dir)
  }

  /** git takes a directory for a repository only if it has these directories, which may be empty. Its configuration is svcd's. */
  #makeRepository([part, repository, name]: string[]): void {
    if (part !== 'git' || name !== 'HEAD') return
    const dir = path.join(this.#dir, part, repository!)
    for (const each of ['objects', 'refs']) this.#makeDirectory(path.join(dir, each))
    writeFileSync(path.join(dir, 'config'), repositoryConfig, { mode: 0o600, flag: 'wx', flush: true })
  }

  #makeDirectory(dir: string): void {
    if (this.#made.has(dir)) return
    if (dir !== this.#dir) this.#makeDirectory(path.dirname(dir))
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    this.#made.add(dir)
  }
}

/** What the names of a hostile archive can cause: the same name twice, a file as a directory, a name that is too long. */
const nameErrors = ['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EILSEQ']

export const isNameError = (error: unknown): boolean =>
  nameErrors.includes((error as NodeJS.ErrnoException).code ?? '')

function isRefusal(error: unknown): boolean {
  if (error instanceof Unreadable) return false
  return error instanceof Fault || error instanceof SyntaxError || isDamaged(error) || isNameError(error)
}

const isDamaged = (error: unknown): boolean => error instanceof DamagedObject

// The files that an upload omits because an earlier deployment of the project has them. Reads their list from the archive,
// and copies the files from the packs of those deployments.
import { limits } from '@svc/contract/limits'
import { decodeUnchanged, normalPath, type Unchanged, unchangedPath } from '@svc/contract/site'
import { Fault } from '../../../lib/fault.ts'
import type { TarHandlers } from '../../../lib/tar.ts'
import { DamagedPack, type PackFile } from '../../../ports/packs/pack-index.ts'
import { PackReader } from '../../../ports/packs/pack-reader.ts'
import type { PackWriter } from '../../../ports/packs/pack-writer.ts'
import { type Packs, StorageFailure } from '../../../ports/packs/port.ts'
import { entryPath } from './entry-path.ts'

/** Passes on all files of an archive except the list. */
export class UnchangedList implements TarHandlers {
  readonly #files: TarHandlers
  #text: Buffer | undefined
  #filled = 0
  #isReading = false

  constructor(files: TarHandlers) {
    this.#files = files
  }

  /** Whether the archive has a list, or the beginning of one. */
  get hasStarted(): boolean {
    return this.#text !== undefined
  }

  onFile(file: Parameters<TarHandlers['onFile']>[0]): void {
    this.#isReading = normalPath(file.path.toString()) === unchangedPath
    if (!this.#isReading) {
      this.#files.onFile(file)
      return
    }
    if (this.hasStarted || file.size > limits.unchangedBytes) throw invalidList()
    this.#text = Buffer.allocUnsafe(file.size)
  }

  onData(slice: Buffer): void {
    if (this.#isReading) this.#filled += slice.copy(this.#text!, this.#filled)
    else this.#files.onData(slice)
  }

  onFileEnd(): void {
    if (!this.#isReading) this.#files.onFileEnd()
  }

  /** The list, after the archive was read. Empty if the archive has none. */
  get files(): Unchanged {
    if (this.#text === undefined) return new Map()
    const files = decodeUnchanged(this.#text.toString())
    if (files === undefined) throw invalidList()
    return files
  }
}

/** The files to copy from one pack, each with its new paths. */
interface Found {
  id: string
  reader: PackReader
  files: { file: PackFile; paths: string[] }[]
}

/** Small files are read together, because every read is a request to a remote storage. */
const spanBytes = 1024 * 1024

/** Copies the files from these packs to `rules`, as if they were in the archive. A file of the archive itself wins. */
export async function copyUnchanged(
  list: Unchanged,
  from: { packs: Packs; ids: readonly string[] },
  rules: TarHandlers,
  writer: PackWriter,
): Promise<void> {
  const wanted = pathsByHash(list, writer)
  const found: Found[] = []
  try {
    for (const id of from.ids) {
      if (wanted.size === 0) break
      const reader = await openUnlessGone(from.packs, id)
      // A deployment may be deleted meanwhile; another one may have the same file.
      if (reader) found.push({ id, reader, files: takeFrom(reader, wanted) })
    }
    if (wanted.size > 0) throw filesMissing(wanted.size)
    for (const pack of found) await copyAll(pack, from.packs, rules, writer)
  } finally {
    for (const { reader } of found) await reader.close()
  }
}

/** `undefined` if there is no such pack, or if it is deleted before its index is read. */
async function openUnlessGone(packs: Packs, id: string): Promise<PackReader | undefined> {
  try {
    return await PackReader.open(packs, id)
  } catch (error) {
    if (error instanceof StorageFailure && (await isGone(packs, id))) return undefined
    throw error
  }
}

/** A file on the disk can be read after it was deleted. An object of an S3 store cannot. */
async function isGone(packs: Packs, id: string): Promise<boolean> {
  const source = await packs.open(id)
  await source?.close()
  return source === undefined
}

async function copyAll(
  { id, reader, files }: Found,
  packs: Packs,
  rules: TarHandlers,
  writer: PackWriter,
): Promise<void> {
  try {
    for (const span of spansOf(files)) await copy(reader, span, rules, writer)
  } catch (error) {
    if (error instanceof StorageFailure && (await isGone(packs, id))) throw filesMissing(files.length)
    throw error
  }
}

function pathsByHash(list: Unchanged, writer: PackWriter): Map<string, string[]> {
  const wanted = new Map<string, string[]>()
  for (const [listed, sha256] of list) {
    const path = entryPath(Buffer.from(listed))
    if (writer.has(path)) continue
    const paths = wanted.get(sha256)
    if (paths) paths.push(path)
    else wanted.set(sha256, [path])
  }
  return wanted
}

/** In the order of the pack. Removes the files that were found from the wanted ones. */
function takeFrom(reader: PackReader, wanted: Map<string, string[]>): Found['files'] {
  const files: Found['files'] = []
  for (const file of reader.files()) {
    const paths = wanted.get(file.sha256)
    if (paths === undefined) continue
    wanted.delete(file.sha256)
    files.push({ file, paths })
  }
  return files.sort((a, b) => a.file.offset - b.file.offset)
}

function* spansOf(files: Found['files']): Generator<Found['files']> {
  let span: Found['files'] = []
  for (const each of files) {
    const first = span[0]?.file ?? each.file
    if (each.file.offset + each.file.size - first.offset > spanBytes && span.length > 0) {
      yield span
      span = []
    }
    span.push(each)
  }
  if (span.length > 0) yield span
}

async function copy(
  reader: PackReader,
  span: Found['files'],
  rules: TarHandlers,
  writer: PackWriter,
): Promise<void> {
  const [first, last] = [span[0]!.file, span.at(-1)!.file]
  const isLarge = first === last && first.size > spanBytes
  const bytes = isLarge ? undefined : await reader.readSpan(first, last)
  for (const { file, paths } of span)
    for (const path of paths) {
      rules.onFile({ path: Buffer.from(path), size: file.size })
      if (bytes) rules.onData(bytes.subarray(file.offset - first.offset).subarray(0, file.size))
      else
        for await (const piece of reader.stream(file)) {
          rules.onData(piece)
          await writer.drain()
        }
      rules.onFileEnd()
      if (writer.hashOf(path) !== file.sha256) throw new DamagedPack('a file does not match its hash')
    }
  await writer.drain()
}

const invalidList = (): Fault =>
  new Fault(
    'invalid_archive',
    `${unchangedPath} is not a list of at most 10,000 files and 8 MB. This name is the platform's: give your file another one.`,
  )

const filesMissing = (count: number): Fault =>
  new Fault(
    'files_missing',
    `The platform does not have ${count} of the files that the upload leaves out. Send them, or deploy without ${unchangedPath}.`,
  )

/** Returns the hashes that no pack has. */
export async function missingHashes(
  hashes: readonly string[],
  from: { packs: Packs; ids: readonly string[] },
): Promise<string[]> {
  const missing = new Set(hashes)
  for (const id of from.ids) {
    if (missing.size === 0) break
    const reader = await openUnlessGone(from.packs, id)
    if (reader === undefined) continue
    try {
      for (const { sha256 } of reader.files()) missing.delete(sha256)
    } finally {
      await reader.close()
    }
  }
  return [...missing]
}

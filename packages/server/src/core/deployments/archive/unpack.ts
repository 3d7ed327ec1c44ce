import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { formatBytes } from '@svc/contract/bytes'
import { limits } from '@svc/contract/limits'
import { linksPath, uploadEndedEarly } from '@svc/contract/site'
import { Fault } from '../../../lib/fault.ts'
import { freeMemory } from '../../../lib/free-memory.ts'
import { TarParser } from '../../../lib/tar.ts'
import { PackReader } from '../../../ports/packs/pack-reader.ts'
import { PackWriter } from '../../../ports/packs/pack-writer.ts'
import { type Packs, StorageFailure } from '../../../ports/packs/port.ts'
import type { BrokenOff, Unpacked } from '../../base/uploads.ts'
import { detectApp } from '../detection.ts'
import { frameworkOf } from '../frameworks.ts'
import { checkSiteRules } from '../rules/site-rules.ts'
import { checkDiskNames } from './disk-names.ts'
import { checkedLinks, linksToMake } from './links.ts'
import { packFiles } from './pack-files.ts'
import { copyUnchanged, UnchangedList } from './unchanged.ts'

/** The limit of the tar stream: the files plus headers, padding and skipped entries. */
const maxStreamBytes = limits.extractedBytes + 70 * 1024 * 1024

/** Data is inflated in large pieces ahead of time, so that the thread pool inflates while this thread parses and hashes. */
const pieceBytes = 256 * 1024
const gunzipOptions = { chunkSize: pieceBytes, readableHighWaterMark: 4 * pieceBytes }

export async function unpack(
  body: AsyncIterable<Buffer>,
  packs: Packs,
  id: string,
  sources: readonly string[] = [],
): Promise<Unpacked | BrokenOff> {
  const brokenOff = await writePack(body, packs, id, sources)
  if (brokenOff) return brokenOff
  try {
    return await look(packs, id)
  } catch (error) {
    // If the storage is down, this fails, too. The next start removes packs without a record.
    await packs.delete(id).catch(() => undefined)
    throw asFault(error)
  }
}

async function writePack(
  body: AsyncIterable<Buffer>,
  packs: Packs,
  id: string,
  sources: readonly string[],
): Promise<BrokenOff | undefined> {
  const writer = await begin(packs, id)
  const rules = packFiles(writer)
  const list = new UnchangedList(rules)
  try {
    const parser = new TarParser(list)
    for await (const piece of inflated(body)) {
      parser.write(piece)
      freeMemory(piece)
      await writer.drain()
    }
    parser.end()
    await copyUnchanged(list.files, { packs, ids: sources }, rules, writer)
    await writer.finish()
    return undefined
  } catch (error) {
    if (error instanceof EndedEarly && list.hasStarted && writer.fileCount > 0) return await keep(writer)
    // If the storage is down, this fails, too. The next start removes what is left.
    await writer.abort().catch(() => undefined)
    throw asFault(error)
  }
}

/** A client that sends a list of unchanged files can ask which files are missing, and continue with those. */
async function keep(writer: PackWriter): Promise<BrokenOff> {
  try {
    const { fileCount, totalBytes } = await writer.finish()
    return { keptFiles: fileCount, keptBytes: totalBytes }
  } catch (error) {
    await writer.abort().catch(() => undefined)
    throw asFault(error)
  }
}

/** The list of links does not count, because it is not a file of the site. */
async function look(packs: Packs, id: string): Promise<Unpacked> {
  const pack = await PackReader.open(packs, id)
  if (!pack) throw new Error(`The pack of ${id} is gone.`)
  try {
    const list = pack.find(linksPath)
    const fileCount = pack.fileCount - (list ? 1 : 0)
    if (fileCount === 0)
      throw new Fault(
        'invalid_archive',
        'The archive holds no files. Pack the directory that holds the built site.',
      )
    const links = await checkedLinks(pack)
    const { app, node, warnings } = await detectApp(pack)
    const framework = app?.framework ?? null
    const scratch = frameworkOf(framework)?.scratch ?? []
    if (app) checkDiskNames([...pathsOf(pack), ...linksToMake(links, scratch).keys()], scratch)
    const ofRules = await checkSiteRules(pack, { isServer: app !== undefined, framework })
    const sizeBytes = pack.totalBytes - (list?.size ?? 0)
    return { fileCount, sizeBytes, app, node, warnings: [...warnings, ...ofRules] }
  } finally {
    await pack.close()
  }
}

function* pathsOf(pack: PackReader): Generator<string> {
  for (const { path } of pack.files()) yield path
}

async function begin(packs: Packs, id: string): Promise<PackWriter> {
  try {
    return PackWriter.create(await packs.create(id))
  } catch (error) {
    throw asFault(error)
  }
}

/** The inflated tar stream, with a limit on its size. */
async function* inflated(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip(gunzipOptions)
  // Its errors come out of the loop below. Zeros may pad gzip data. Then gunzip ends before the body does,
  // which looks like an error here, but is not one.
  pipeline(received(body), gunzip).catch(() => undefined)
  let total = 0
  for await (const piece of gunzip) {
    total += piece.length
    if (total > maxStreamBytes) throw tooLarge('The archive unpacks to far more than its files')
    yield piece
  }
}

/** The body in large pieces, with a limit on its size. Its errors are distinguished from those of gunzip. */
async function* received(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let total = 0
  // Two buffers in turn: a piece is no longer in use when the next but one is requested.
  const pieces = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)]
  let piece = pieces[0]!
  let filled = 0
  try {
    for await (const chunk of body) {
      total += chunk.length
      if (total > limits.tarballBytes)
        throw tooLarge(`The archive is larger than ${formatBytes(limits.tarballBytes)}`)
      for (let at = 0; at < chunk.length; ) {
        const copied = chunk.copy(piece, filled, at)
        at += copied
        filled += copied
        if (filled < pieceBytes) break
        yield piece
        piece = piece === pieces[0] ? pieces[1]! : pieces[0]!
        filled = 0
      }
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    throw new EndedEarly(cause)
  }
  if (filled > 0) yield piece.subarray(0, filled)
}

/** The connection broke, or the sender was too slow. */
export class EndedEarly extends Fault {
  constructor(cause?: unknown) {
    super('invalid_archive', uploadEndedEarly, { cause })
  }
}

function tooLarge(what: string): Fault {
  return new Fault('payload_too_large', `${what}. Leave out what the site does not need.`)
}

function asFault(error: unknown): unknown {
  if (error instanceof StorageFailure) return storageFault(error)
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof Fault || code?.startsWith('Z_') !== true) return error
  const what =
    code === 'Z_BUF_ERROR'
      ? 'The archive is truncated. Send it again.'
      : 'The upload is not a sound gzip file. Send a gzipped tarball.'
  return new Fault('invalid_archive', what, { cause: error })
}

function storageFault(cause: StorageFailure): Fault {
  const words = cause.full
    ? "The platform's storage is full. Nothing was published; its operator has to make room."
    : "The platform's storage does not take the files. Nothing was published; try again shortly."
  return new Fault('unavailable', words, { cause, retryAfter: 30 })
}

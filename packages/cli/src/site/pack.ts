// Packs the listed files into a gzipped tarball in memory, reading them piece by piece.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { limits } from '@svc/contract/limits'
import { errorCode, Failure, fileFailure } from '../failure.ts'
import type { SiteFile } from './list.ts'
import { endOfArchive, header, padding } from './tar.ts'

export interface Archive {
  chunks: Buffer[]
  bytes: number
}

const PIECE = 256 * 1024
// A third less time than the usual 6 for archives that are a twentieth larger.
const LEVEL = 4

export async function pack(
  root: string,
  files: SiteFile[],
  onProgress: (bytesRead: number) => void,
): Promise<Archive> {
  const archive: Archive = { chunks: [], bytes: 0 }
  const collect = new Writable({
    write(chunk: Buffer, _, done) {
      archive.chunks.push(chunk)
      archive.bytes += chunk.length
      done(archive.bytes > limits.tarballBytes ? new Failure('Archive exceeds the 100 MB limit.') : null)
    },
  })
  const batches = Readable.from(inBatches(tarball(root, files, onProgress)), { highWaterMark: 2 })
  await pipeline(batches, createGzip({ level: LEVEL, chunkSize: PIECE }), collect)
  return archive
}

function* tarball(root: string, files: SiteFile[], onProgress: (bytesRead: number) => void) {
  let bytesRead = 0
  for (const file of files) {
    yield header(file)
    for (const piece of contents(root, file)) {
      yield piece
      bytesRead += piece.length
      onProgress(bytesRead)
    }
    yield padding(file.size)
  }
  yield endOfArchive
}

/** The header has promised a size, so a file that is no longer as it was listed ends the deploy. */
function* contents(root: string, file: SiteFile): Generator<Buffer> {
  const fd = open(root, file)
  try {
    if (!isAsListed(fd, file)) throw changed(file)
    for (let left = file.size; left > 0; ) {
      const piece = Buffer.allocUnsafe(Math.min(left, PIECE))
      const read = readSync(fd, piece)
      if (read === 0) throw changed(file)
      yield piece.subarray(0, read)
      left -= read
    }
    if (!isAsListed(fd, file)) throw changed(file)
  } finally {
    closeSync(fd)
  }
}

function open(root: string, file: SiteFile): number {
  try {
    // Windows has no O_NOFOLLOW; there a link put in place of a file is caught by its size at best.
    return openSync(join(root, file.path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ELOOP') throw changed(file)
    throw fileFailure('read', file.path, error)
  }
}

function isAsListed(fd: number, file: SiteFile): boolean {
  const now = fstatSync(fd)
  return now.isFile() && now.size === file.size
}

const changed = (file: SiteFile) =>
  new Failure(`File changed while it was being packed: ${file.path}. Deploy again when the build is done.`)

/** Joins small pieces, since each one handed to zlib costs a trip to another thread. */
function* inBatches(pieces: Iterable<Buffer>): Generator<Buffer> {
  let batch: Buffer[] = []
  let bytes = 0
  for (const piece of pieces) {
    batch.push(piece)
    bytes += piece.length
    if (bytes < PIECE) continue
    yield Buffer.concat(batch)
    batch = []
    bytes = 0
  }
  yield Buffer.concat(batch)
}

// Gzip in memory with an effort that may change midway. Node offers that for raw deflate only, so the few bytes
// of gzip around it are written here: no name, no time, no operating system, nothing that could differ.
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants, crc32, createDeflateRaw } from 'node:zlib'
import { limits } from '@svc/contract/limits'
import { archiveTooLarge } from '@svc/contract/site'
import { Failure } from '../failure.ts'

/** A level of zlib. 4 takes a third less time than the usual 6, for archives that are a twentieth larger. */
export type Effort = 0 | 4

export interface Piece {
  bytes: Uint8Array
  effort: Effort
}

/** The compressed bytes, in the chunks that they came in: joining them would need their room twice. */
export interface Archive {
  chunks: Buffer[]
  bytes: number
}

const CHUNK = 256 * 1024
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

export async function gzip(pieces: Iterable<Piece>): Promise<Archive> {
  const archive: Archive = { chunks: [], bytes: 0 }
  const deflate = createDeflateRaw({ chunkSize: CHUNK })
  const setLevel = promisify(deflate.params.bind(deflate))
  let checksum = 0
  let size = 0
  // The pipeline asks for a piece when it has handed over the one before, so a new level applies to what follows.
  async function* source() {
    for (const { bytes, effort } of pieces) {
      checksum = crc32(bytes, checksum)
      size += bytes.length
      await setLevel(effort, constants.Z_DEFAULT_STRATEGY)
      yield bytes
      checkSize(archive)
    }
  }
  append(archive, header)
  await pipeline(source(), deflate, collector(archive))
  append(archive, trailer(checksum, size))
  checkSize(archive)
  return archive
}

function collector(archive: Archive): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      append(archive, chunk)
      done()
    },
  })
}

function append(archive: Archive, chunk: Buffer): void {
  archive.chunks.push(chunk)
  archive.bytes += chunk.length
}

function trailer(checksum: number, size: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32LE(checksum, 0)
  bytes.writeUInt32LE(size, 4)
  return bytes
}

function checkSize({ bytes }: Archive): void {
  if (bytes > limits.tarballBytes) throw new Failure(archiveTooLarge)
}

// Packs the listed files into a gzipped tarball in memory, reading them piece by piece.
import { joinBytes, tarEnd, tarHeader, tarPadding } from '@svc/contract/site'
import { type Effort, effortFor } from './effort.ts'
import { type Archive, gzip, type Piece } from './gzip.ts'
import type { SiteFile } from './list.ts'
import { contents } from './read.ts'

const BATCH = 256 * 1024

/** A file of the archive that is not in the directory. */
export interface AddedFile {
  path: string
  bytes: Uint8Array
  /** Whether it comes before the files of the directory, not after them. */
  isFirst?: boolean
}

type OnProgress = (bytesRead: number) => void

export function pack(
  root: string,
  files: SiteFile[],
  onProgress: OnProgress,
  added: AddedFile[] = [],
): Promise<Archive> {
  return gzip(inBatches(tarball(root, files, onProgress, added)))
}

function* tarball(
  root: string,
  files: SiteFile[],
  onProgress: OnProgress,
  added: AddedFile[],
): Generator<Piece> {
  yield* added.filter(file => file.isFirst).map(entryOf)
  let bytesRead = 0
  for (const file of files) {
    const effort = effortFor(file)
    yield { bytes: tarHeader(file), effort }
    for (const bytes of contents(root, file)) {
      yield { bytes, effort }
      bytesRead += bytes.length
      onProgress(bytesRead)
    }
    yield { bytes: tarPadding(file.size), effort }
  }
  yield* added.filter(file => !file.isFirst).map(entryOf)
  yield { bytes: tarEnd(), effort: 0 }
}

function entryOf({ path, bytes }: AddedFile): Piece {
  const size = bytes.length
  return { bytes: joinBytes([tarHeader({ path, size }), bytes, tarPadding(size)]), effort: 4 }
}

/** Joins small pieces of one effort, since each one handed to zlib costs a trip to another thread. */
function* inBatches(pieces: Iterable<Piece>): Generator<Piece> {
  let batch: Uint8Array[] = []
  let effort: Effort = 0
  let size = 0
  for (const piece of pieces) {
    if (size >= BATCH || (size > 0 && piece.effort !== effort)) {
      yield { bytes: Buffer.concat(batch), effort }
      batch = []
      size = 0
    }
    batch.push(piece.bytes)
    size += piece.bytes.length
    effort = piece.effort
  }
  yield { bytes: Buffer.concat(batch), effort }
}

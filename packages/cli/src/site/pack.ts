// Packs the listed files into a gzipped tarball in memory, reading them piece by piece.
import { joinBytes, tarEnd, tarHeader, tarPadding } from '@svc/contract/site'
import { type Archive, type Effort, gzip, type Piece } from './gzip.ts'
import type { SiteFile } from './list.ts'
import { contents } from './read.ts'

const BATCH = 256 * 1024

/** Files of these types are compressed already. Compressing them again takes time and saves nothing. */
const compressed =
  /\.(avif|br|gif|gz|heic|jpe?g|jxl|m4[av]|mov|mp[34]|og[agv]|opus|png|rar|tgz|web[mp]|woff2?|xz|zip|zst|7z)$/i

/** Below this size, changing the level costs more than compressing the file again. */
const WORTH_IT = 16 * 1024

function effortFor({ path, size }: SiteFile): Effort {
  return size >= WORTH_IT && compressed.test(path) ? 0 : 4
}

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

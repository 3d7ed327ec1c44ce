// Reads the files of a site in pieces. A file whose size has changed since it was listed is an error.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, Failure, fileFailure } from '../failure.ts'
import type { SiteFile } from './list.ts'

const PIECE = 256 * 1024

export function* contents(root: string, file: SiteFile): Generator<Buffer> {
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
    return openSync(file.source ?? join(root, file.path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
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

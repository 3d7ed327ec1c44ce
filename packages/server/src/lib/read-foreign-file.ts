// Reads a small file in a directory of another user, as root does: it may be a link, a pipe, or of any size.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** `undefined` if there is none, or if it is no plain file of at most so many bytes. */
export function readForeignFile(file: string, bytesAtMost: number): string | undefined {
  let fd: number
  try {
    fd = openSync(file, flags)
  } catch {
    return undefined // There is none, or it is a link.
  }
  try {
    if (!fstatSync(fd).isFile()) return undefined
    const buffer = Buffer.alloc(bytesAtMost + 1)
    const length = readSync(fd, buffer)
    return length > bytesAtMost ? undefined : buffer.toString('utf8', 0, length)
  } finally {
    closeSync(fd)
  }
}

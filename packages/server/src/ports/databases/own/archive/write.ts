// Writes a file of the archive: compressed, complete and on the disk before it has its name.
import { createWriteStream } from 'node:fs'
import { rename, rm, utimes } from 'node:fs/promises'
import path from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Fault } from '../../../../lib/fault.ts'
import { randomText } from '../../../../lib/ids.ts'
import { syncDirectory } from '../../../../lib/sync-directory.ts'

/** `fill` writes the content and leaves the stream open. It returns the name of the file, and the time that the file shall have. */
export async function writeCompressed(
  dir: string,
  fill: (content: Writable) => Promise<{ file: string; writtenAt: number }>,
): Promise<void> {
  const part = path.join(dir, `${randomText(12)}.part`)
  // Speed counts: what a segment leaves empty are zeros.
  const gzip = createGzip({ level: 1 })
  const written = pipeline(gzip, createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }))
  let cause: unknown
  written.catch(error => {
    cause = error
  })
  try {
    const { file, writtenAt } = await fill(gzip)
    gzip.end()
    await written
    await utimes(part, writtenAt / 1000, writtenAt / 1000)
    await rename(part, file)
    syncDirectory(dir)
  } catch (error) {
    // A full disk also ends the program that writes, whose error says less.
    cause ??= error
    gzip.destroy()
    await rm(part, { force: true }).catch(() => undefined)
    throw namedAfter(dir, cause)
  }
}

/** The errors of streams do not name their file. */
export function namedAfter(dir: string, cause: unknown): unknown {
  const { syscall, message } = cause as NodeJS.ErrnoException
  if (syscall === undefined) return cause
  return new Fault(
    'unavailable',
    `The archive (SVCD_APPS_POSTGRES_ARCHIVE) cannot be written: ${message}, in ${dir}`,
    { cause },
  )
}

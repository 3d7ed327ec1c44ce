// Replaces a private file as a whole: after a crash there is the old content or the new one, never a part.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Only one program may do this to a file at a time. */
export function replaceFile(file: string, content: string): void {
  const temporary = `${file}.tmp`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, content, { mode: 0o600, flag: 'wx', flush: true })
  renameSync(temporary, file)
  const directory = openSync(path.dirname(file), 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

// Replaces a private file atomically: after a crash it has the old content or the new one, never a mixture.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { syncDirectory } from './sync-directory.ts'

/** Two processes must not replace the same file at the same time. */
export function replaceFile(file: string, content: string): void {
  const temporary = `${file}.tmp`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, content, { mode: 0o600, flag: 'wx', flush: true })
  renameSync(temporary, file)
  syncDirectory(path.dirname(file))
}

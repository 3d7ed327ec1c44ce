// After a crash, deletes the packs without a record that it left. A clean end leaves none, so a start after one lists no packs.
import { existsSync, rmSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Platform } from '../core/base/platform.ts'
import { removeOrphans } from '../core/platform/recovery.ts'
import type { DataDirectory } from '../data-directory.ts'
import { replaceFile } from '../lib/replace-file.ts'

/** Does so while svcd serves already. The returned function ends it, and notes that svcd ended well. */
export function removeOrphansOfCrash(
  platform: Pick<Platform, 'packs' | 'store'>,
  { runningNote }: Pick<DataDirectory, 'runningNote'>,
  log: Logger,
): () => Promise<void> {
  const wasRunning = existsSync(runningNote)
  replaceFile(runningNote, '')
  const stopping = new AbortController()
  const work = async (): Promise<boolean> => {
    try {
      const orphans = wasRunning ? await removeOrphans(platform, stopping.signal) : 0
      if (orphans > 0) log.info({ orphans }, 'files without a record were removed')
      return true
    } catch (err) {
      if (!stopping.signal.aborted) log.warn({ err }, 'files without a record stay until the next start')
      return false
    }
  }
  const isDone = work()
  return async () => {
    stopping.abort()
    if (await isDone) rmSync(runningNote, { force: true })
  }
}

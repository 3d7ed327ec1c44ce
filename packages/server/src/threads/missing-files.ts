// Looks for files in packs by their hashes, in a thread of its own: the indexes of large sites take a while to go through.
import type { FindMissing } from '../core/base/uploads.ts'
import type { PacksSettings } from '../ports/packs/open.ts'
import { programFile } from '../program-files.ts'
import { Thread, workerThread } from './thread.ts'

export interface MissingFilesArgs {
  hashes: readonly string[]
  sources: readonly string[]
}

interface MissingFiles {
  find: FindMissing
  close(): Promise<void>
}

export function createMissingFiles(packs: PacksSettings): MissingFiles {
  const entry = programFile('threads/missing-files-thread.js')
  const thread = new Thread<MissingFilesArgs, string[]>({
    start: () => workerThread(entry, packs),
    concurrency: 2,
  })
  return { find: (hashes, sources) => thread.call({ hashes, sources }), close: () => thread.close() }
}

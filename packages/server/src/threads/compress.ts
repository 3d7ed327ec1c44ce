// Makes compressed variants, one deployment at a time. A process of its own does it, because compressing allocates much memory
// outside of V8's heap, in pieces of many sizes. After 20 deploys of 1,000 files, svcd itself would keep 30 MB of it for good.
import type { MakeVariants } from '../core/deployments/archive/variants.ts'
import type { PacksSettings } from '../ports/packs/open.ts'
import { programFile } from '../program-files.ts'
import { Thread } from './thread.ts'
import { WorkerProcess } from './worker-process.ts'

export interface CompressArgs {
  settings: PacksSettings
  id: string
  /** The folders whose files visitors can get. `undefined` if they can get all files. */
  folders: readonly string[] | undefined
}

interface Compressor {
  makeVariants: MakeVariants
  close(): Promise<void>
}

export function createCompressor(settings: PacksSettings): Compressor {
  const entry = programFile('threads/compress-process.js')
  const compressor = new Thread<CompressArgs, void>({ start: () => new WorkerProcess(entry), concurrency: 1 })
  return {
    makeVariants: (id, { folders, signal } = {}) => compressor.call({ settings, id, folders }, { signal }),
    close: () => compressor.close(),
  }
}

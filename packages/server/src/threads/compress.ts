// Makes compressed variants, one deployment at a time. A process of its own does it, because compressing allocates much memory
// outside of V8's heap, in pieces of many sizes. After 20 deploys of 1,000 files, svcd itself would keep 30 MB of it for good.
import { type MakeVariants, makeNoVariants } from '../core/deployments/archive/variants.ts'
import type { PacksSettings } from '../ports/packs/open.ts'
import type { Packs } from '../ports/packs/port.ts'
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

/** The process opens the packs by their settings. */
export function createCompressor(packs: Packs, settings: PacksSettings): Compressor {
  const entry = programFile('threads/compress-process.js')
  const compressor = new Thread<CompressArgs, void>({ start: () => new WorkerProcess(entry), concurrency: 1 })
  return {
    makeVariants: async (id, options = {}) => {
      const { folders, signal } = options
      signal?.throwIfAborted()
      // The start of the process takes more than the work on a small deployment.
      if (await makeNoVariants(packs, id, options)) return
      await compressor.call({ settings, id, folders }, signal && { signal })
    },
    close: () => compressor.close(),
  }
}

// Makes compressed variants in a thread of their own, one deployment at a time.
import type { MakeVariants } from '../core/deployments/archive/variants.ts'
import type { PacksSettings } from '../ports/packs/open.ts'
import { programFile } from '../program-files.ts'
import { Thread } from './thread.ts'

export interface CompressArgs {
  id: string
}

interface Compressor {
  makeVariants: MakeVariants
  close(): Promise<void>
}

export function createCompressor(packs: PacksSettings): Compressor {
  const entry = programFile('threads/compress-thread.js')
  const thread = new Thread<CompressArgs, void>({ entry, data: packs, concurrency: 1 })
  return { makeVariants: (id, signal) => thread.call({ id }, { signal }), close: () => thread.close() }
}

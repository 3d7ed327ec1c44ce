// Reads the files that `loop-blocks.ts` writes. It is a separate file, so that the watchdog's thread loads no schema library.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { type LoopBlocks, loopBlockFiles } from './loop-blocks.ts'

const shape: z.ZodType<LoopBlocks> = z.object({
  process: z.string(),
  since: z.number(),
  count: z.number(),
  totalMs: z.number(),
  longestMs: z.number(),
  last: z.object({ at: z.number(), ms: z.number(), stack: z.array(z.string()) }).nullable(),
})

/** Skips files that cannot be read or parsed. */
export async function readLoopBlocks(dataDir: string): Promise<LoopBlocks[]> {
  const read = (await loopBlockFiles(dataDir)).map(async name => {
    const text = await readFile(path.join(dataDir, name), 'utf8')
    return shape.parse(JSON.parse(text))
  })
  const settled = await Promise.allSettled(read)
  return settled.flatMap(result => (result.status === 'fulfilled' ? result.value : []))
}

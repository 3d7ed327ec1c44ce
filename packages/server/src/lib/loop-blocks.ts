// Records how often the event loop of each process was blocked, for `svcd doctor` and the metrics. Each process has a small
// file in the data directory.
import { readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { replaceFile } from './replace-file.ts'

const shape = z.object({
  /** `main`, or an edge worker. */
  process: z.string(),
  since: z.number(),
  count: z.number(),
  totalMs: z.number(),
  longestMs: z.number(),
  last: z.object({ at: z.number(), ms: z.number(), stack: z.array(z.string()) }).nullable(),
})

export type LoopBlocks = z.infer<typeof shape>

const fileName = /^event-loop-[a-z0-9-]{1,40}\.json$/

export function writeLoopBlocks(dataDir: string, blocks: LoopBlocks): void {
  replaceFile(path.join(dataDir, `event-loop-${blocks.process}.json`), JSON.stringify(blocks))
}

/** Skips files that cannot be read or parsed. */
export async function readLoopBlocks(dataDir: string): Promise<LoopBlocks[]> {
  const read = (await filesIn(dataDir)).map(async name => {
    const text = await readFile(path.join(dataDir, name), 'utf8')
    return shape.parse(JSON.parse(text))
  })
  const settled = await Promise.allSettled(read)
  return settled.flatMap(result => (result.status === 'fulfilled' ? result.value : []))
}

/** Deletes the files of an earlier run. */
export async function forgetLoopBlocks(dataDir: string): Promise<void> {
  for (const name of await filesIn(dataDir)) await rm(path.join(dataDir, name), { force: true })
}

const filesIn = async (dataDir: string): Promise<string[]> =>
  (await readdir(dataDir)).filter(name => fileName.test(name))

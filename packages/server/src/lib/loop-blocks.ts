// Records how often the event loop of each process was blocked, for `svcd doctor` and the metrics. Each process has a small
// file in the data directory.
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { replaceFile } from './replace-file.ts'

export interface LoopBlocks {
  /** `main`, or an edge worker. */
  process: string
  since: number
  count: number
  totalMs: number
  longestMs: number
  last: { at: number; ms: number; stack: string[] } | null
}

const fileName = /^event-loop-[a-z0-9-]{1,40}\.json$/

export function writeLoopBlocks(dataDir: string, blocks: LoopBlocks): void {
  replaceFile(path.join(dataDir, `event-loop-${blocks.process}.json`), JSON.stringify(blocks))
}

/** Deletes the files of an earlier run. */
export async function forgetLoopBlocks(dataDir: string): Promise<void> {
  for (const name of await loopBlockFiles(dataDir)) await rm(path.join(dataDir, name), { force: true })
}

export const loopBlockFiles = async (dataDir: string): Promise<string[]> =>
  (await readdir(dataDir)).filter(name => fileName.test(name))

// Keeps builds, and the browser that makes pictures, from filling the disk: measures at intervals what was written.
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatBytes } from '@svc/contract/bytes'
import { formatWhole } from '@svc/contract/whole-number'
import { endOf, startProgram } from '../lib/start-program.ts'

/** The limit for the number of files, since each takes an inode of the file system. */
const filesAtMost = 1_000_000

/** Returns a signal that aborts, with the reason, when the directories together hold too much. */
export function watchDiskUse(
  dirs: readonly string[],
  bytes: number,
  over: AbortSignal,
  lookEveryMs = 3_000,
): AbortSignal {
  const exceeded = new AbortController()
  void (async () => {
    while (!over.aborted && !exceeded.signal.aborted) {
      await sleep(lookEveryMs, undefined, { signal: over }).catch(() => undefined)
      if (!over.aborted && (await diskUse(dirs)) > bytes)
        exceeded.abort(`The build wrote more than ${formatBytes(bytes)} to the disk and was ended.`)
      if (!over.aborted && (await inodeCount(dirs)) > filesAtMost)
        exceeded.abort(`The build made more than ${formatWhole(filesAtMost)} files and was ended.`)
    }
  })()
  return exceeded.signal
}

/** Runs `du`, so that the event loop is not blocked. 0 if `du` fails. */
export const diskUse = (dirs: readonly string[]): Promise<number> => du(['--block-size=1'], dirs)

const inodeCount = (dirs: readonly string[]): Promise<number> => du(['--inodes'], dirs)

interface Extent {
  files: number
  bytes: number
  /** The size of the largest file. */
  largest: number
}

/** Measures the plain files, as a deployment counts them. */
export async function extentOf(dirs: readonly string[]): Promise<Extent> {
  const args = ['find', ...dirs, '-xdev', '-name', '.git', '-prune', '-o', '-type', 'f', '-printf', '%s\\n']
  const find = startProgram('nice', args, {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = endOf(find)
  const extent: Extent = { files: 0, bytes: 0, largest: 0 }
  for await (const line of createInterface(find.stdout)) {
    extent.files++
    extent.bytes += Number(line)
    extent.largest = Math.max(extent.largest, Number(line))
  }
  await ended
  return extent
}

async function du(options: string[], dirs: readonly string[]): Promise<number> {
  const args = ['du', '--summarize', '--total', ...options, '--one-file-system', '--', ...dirs]
  const du = startProgram('nice', args, {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let text = ''
  du.stdout.on('data', chunk => {
    text += chunk
  })
  await endOf(du).catch(() => undefined) // Without `du` the result is 0.
  const total = text.split('\n').find(line => line.endsWith('\ttotal'))
  return Number(total?.split('\t')[0] ?? 0)
}

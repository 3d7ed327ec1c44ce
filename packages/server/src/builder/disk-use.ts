// Keeps builds from filling the disk: looks at what a build wrote now and then, and ends one that wrote too much.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

const lookEveryMs = 3_000

/** Each file costs the disk something that its size does not show. */
export const filesAtMost = 1_000_000

/** Aborts the signal that it answers, with a reason in words, when the directories hold more than they may together. */
export function watchDiskUse(dirs: readonly string[], bytes: number, over: AbortSignal): AbortSignal {
  const exceeded = new AbortController()
  const megabytes = Math.round(bytes / 1024 / 1024)
  void (async () => {
    while (!over.aborted && !exceeded.signal.aborted) {
      await sleep(lookEveryMs, undefined, { signal: over }).catch(() => undefined)
      if (!over.aborted && (await diskUse(dirs)) > bytes)
        exceeded.abort(`The build wrote more than ${megabytes} MB to the disk and was ended.`)
      if (!over.aborted && (await fileCount(dirs)) > filesAtMost)
        exceeded.abort(`The build made more than ${filesAtMost.toLocaleString('en')} files and was ended.`)
    }
  })()
  return exceeded.signal
}

/** By `du`, which does not hold up the loop that serves requests; 0 where it cannot tell. */
export const diskUse = (dirs: readonly string[]): Promise<number> => du(['--block-size=1'], dirs)

export const fileCount = (dirs: readonly string[]): Promise<number> => du(['--inodes'], dirs)

async function du(options: string[], dirs: readonly string[]): Promise<number> {
  const args = ['du', '--summarize', '--total', ...options, '--one-file-system', '--', ...dirs]
  const du = spawn('nice', args, {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let text = ''
  du.stdout.on('data', chunk => {
    text += chunk
  })
  await once(du, 'close').catch(() => undefined) // Without the program nothing is known.
  const total = text.split('\n').find(line => line.endsWith('\ttotal'))
  return Number(total?.split('\t')[0] ?? 0)
}

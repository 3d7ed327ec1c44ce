// Keeps builds from filling the disk: looks at what a build wrote now and then, and ends one that wrote too much.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

const lookEveryMs = 3_000

/** Aborts the signal that it answers when the directories hold more than `bytes` together. */
export function watchDiskUse(dirs: readonly string[], bytes: number, over: AbortSignal): AbortSignal {
  const exceeded = new AbortController()
  void (async () => {
    while (!over.aborted && !exceeded.signal.aborted) {
      await sleep(lookEveryMs, undefined, { signal: over }).catch(() => undefined)
      if (!over.aborted && (await diskUse(dirs)) > bytes) exceeded.abort()
    }
  })()
  return exceeded.signal
}

/** By `du`, which does not hold up the loop that serves requests; 0 where it cannot tell. */
export async function diskUse(dirs: readonly string[]): Promise<number> {
  const du = spawn('du', ['--summarize', '--total', '--block-size=1', '--one-file-system', '--', ...dirs], {
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

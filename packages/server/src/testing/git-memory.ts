// Measures the memory of the git programs that svcd starts in this process.
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** `stop` resolves with the most that one of them had in memory at once, in bytes. */
export function watchGitMemory(): { stop(): Promise<number> } {
  let goesOn = true
  let most = 0
  const watching = (async () => {
    while (goesOn) {
      for (const pid of await readdir('/proc')) {
        if (!/^\d+$/.test(pid)) continue
        const text = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '') // It has ended.
        if (!(await text('comm')).startsWith('git')) continue
        if (!(await text('environ')).includes('HOME=/nonexistent')) continue
        const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(await text('status')) ?? []
        most = Math.max(most, Number(kilobytes ?? 0) * 1024)
      }
      await sleep(20)
    }
  })()
  return {
    stop: async () => {
      goesOn = false
      await watching
      return most
    },
  }
}

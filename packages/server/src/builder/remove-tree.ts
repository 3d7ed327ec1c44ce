// Removes the files of a build. They are a stranger's: folders may be closed, or lie deeper than a path can name.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const tries = 5

/** What the commands of the build left running may still write for a moment. */
export async function removeTree(dir: string): Promise<void> {
  for (let left = tries; existsSync(dir); left--) {
    if (left === 0) throw new Error(`${dir} could not be removed`)
    if (left < tries) {
      await run('chmod', ['--recursive', 'u+rwx', '--', dir])
      await sleep(100)
    }
    await run('rm', ['--recursive', '--force', '--one-file-system', '--', dir])
  }
}

/** Programs, since they hold up no loop and go down by folders instead of by paths. */
async function run(program: string, args: string[]): Promise<void> {
  const child = spawn('nice', [program, ...args], { env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore' })
  await once(child, 'exit')
}

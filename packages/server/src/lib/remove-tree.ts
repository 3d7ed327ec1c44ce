// Removes files of strangers: there may be very many, and folders may be read-only, or nested deeper than a path can be long.
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { endOf, startProgram } from './start-program.ts'

const tries = 5

/** Retries, because their processes may still write for a moment. */
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

/** Uses programs, because they do not block the event loop and are not limited by the length of paths. */
async function run(program: string, args: string[]): Promise<void> {
  await endOf(startProgram('nice', [program, ...args], { env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore' }))
}

// Changes the owner of directories and everything in them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Changes the owner of symbolic links themselves, not of their targets. */
export async function giveTo(user: number, dirs: readonly string[]): Promise<void> {
  const chown = spawn('chown', ['--no-dereference', '--recursive', `${user}:${user}`, '--', ...dirs], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
  })
  const [code] = (await once(chown, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`chown ended with code ${code}`)
}

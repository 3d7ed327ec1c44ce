// If svcd runs as root, the commands of each project run as a user of its own, so that projects cannot touch each other's files
// and processes.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'

/** The user id is derived from the project id, so it stays the same. It is far above the ids of the system's users. */
export function projectUser(projectId: string): number {
  return 200_000 + (createHash('sha256').update(projectId).digest().readUInt32LE() % 1_000_000)
}

/** Changes the owner of directories and everything in them: of symbolic links themselves, not of their targets. */
export async function giveTo(user: number, dirs: readonly string[]): Promise<void> {
  const chown = spawn('chown', ['--no-dereference', '--recursive', `${user}:${user}`, '--', ...dirs], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
  })
  const [code] = (await once(chown, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`chown ended with code ${code}`)
}

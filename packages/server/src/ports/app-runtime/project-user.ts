// If svcd runs as root, the commands of each project run as a user of its own, so that projects cannot touch each other's files
// and processes.
import { createHash } from 'node:crypto'
import { endOf, startProgram } from '../../lib/start-program.ts'

/** The user id is derived from the project id, so it stays the same. It is far above the ids of the system's users. */
export function projectUser(projectId: string): number {
  return 200_000 + (createHash('sha256').update(projectId).digest().readUInt32LE() % 1_000_000)
}

/** Changes the owner of directories and everything in them: of symbolic links themselves, not of their targets. */
export async function giveTo(user: number, dirs: readonly string[]): Promise<void> {
  const chown = startProgram('chown', ['--no-dereference', '--recursive', `${user}:${user}`, '--', ...dirs], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
  })
  const code = await endOf(chown)
  if (code !== 0) throw new Error(`chown ended with code ${code}`)
}

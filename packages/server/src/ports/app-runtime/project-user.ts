// The user that commands of a project run as where svcd is root, so that projects cannot touch each other's files and processes.
import { createHash } from 'node:crypto'

/** Far from the users of the system; the same for a project at each start. */
export function projectUser(projectId: string): number {
  return 200_000 + (createHash('sha256').update(projectId).digest().readUInt32LE() % 1_000_000)
}

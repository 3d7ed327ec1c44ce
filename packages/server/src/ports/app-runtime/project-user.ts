// If svcd runs as root, the commands of each project run as a user of its own, so that projects cannot touch each other's files
// and processes.
import { createHash } from 'node:crypto'

/** The user id is derived from the project id, so it stays the same. It is far above the ids of the system's users. */
export function projectUser(projectId: string): number {
  return 200_000 + (createHash('sha256').update(projectId).digest().readUInt32LE() % 1_000_000)
}

// Removes backups that are too old, and then the pieces that no backup needs any more.
import type { Keep } from '../../../config.ts'
import { DamagedObject } from './encryption.ts'
import type { Repository } from './repository.ts'
import { keptOf } from './retention.ts'

/**
 * Snapshots go first: an interruption then leaves pieces that nobody needs, and the next run removes them. No piece is removed
 * while one of the kept snapshots cannot be read, since nobody knows what it needs. Returns the number of snapshots that are left.
 */
export async function prune(
  repository: Repository,
  keep: Keep,
  requireHeld: () => Promise<void>,
): Promise<number> {
  const ids = await repository.snapshotIds()
  const kept = keptOf(ids, keep)
  for (const id of ids) if (!kept.has(id)) await repository.deleteSnapshot(id)
  const needed = await piecesOf(repository, kept)
  if (needed === undefined) return kept.size
  await requireHeld()
  for (const id of await repository.pieceIds()) if (!needed.has(id)) await repository.delete(id)
  return kept.size
}

/** `undefined` if a snapshot cannot be read. */
async function piecesOf(repository: Repository, ids: Iterable<string>): Promise<Set<string> | undefined> {
  const needed = new Set<string>()
  for (const id of ids) {
    try {
      for (const piece of (await repository.readSnapshot(id)).pieces) needed.add(piece.id)
    } catch (error) {
      if (!(error instanceof DamagedObject)) throw error
      process.stderr.write(
        `svcd: the backup ${id} cannot be read (${error.message}), so pieces that are no longer needed stay. Check it with 'svcd backup verify ${id}'.\n`,
      )
      return undefined
    }
  }
  return needed
}

// What can be checked of a backup without the private key: whether all its pieces are there, and are what was sent.
import { DamagedObject } from './encryption.ts'
import type { Repository } from './repository.ts'
import { bytesOf } from './snapshot.ts'

interface Checked {
  pieces: number
  bytes: number
  /** What is damaged, with words about that. */
  damaged: Map<string, string>
}

export async function damagedPieces(repository: Repository, id: string): Promise<Checked> {
  const damaged = new Map<string, string>()
  try {
    const snapshot = await repository.readSnapshot(id)
    for (const { id, files, sha256, damage } of snapshot.pieces) {
      const [name] = files[0]!
      const words =
        damage === undefined ? await damageOf(repository, id, sha256) : `${damage} (before the backup)`
      if (words !== undefined) damaged.set(name, words)
    }
    return { pieces: snapshot.pieces.length, bytes: bytesOf(snapshot), damaged }
  } catch (error) {
    if (!(error instanceof DamagedObject)) throw error
    return { pieces: 0, bytes: 0, damaged: damaged.set('the snapshot', error.message) }
  }
}

async function damageOf(
  repository: Repository,
  id: string,
  sent: string | undefined,
): Promise<string | undefined> {
  try {
    return (await repository.sha256Of(id)) === sent ? undefined : 'its content was changed'
  } catch (error) {
    if (!(error instanceof DamagedObject)) throw error
    return error.message
  }
}

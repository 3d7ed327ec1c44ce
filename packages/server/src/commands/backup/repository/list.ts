// svcd backup list: the backups in the repository that SVCD_BACKUP_URL names.
import { parseArgs } from 'node:util'
import { formatBytes } from '@svc/contract/bytes'
import { withDashboard } from '../../../compose/stored-settings.ts'
import { readSettings } from '../../../config.ts'
import { becomeOwner } from '../../../data-owner.ts'
import { complain, show } from '../../output.ts'
import { explained } from '../failures.ts'
import { packIdOf } from '../format.ts'
import { identityOption, readIdentity } from './age.ts'
import { DamagedObject } from './encryption.ts'
import { openRepository } from './open.ts'
import type { Repository } from './repository.ts'
import { bytesOf } from './snapshot.ts'

export async function listBackups(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: identityOption })
  if (positionals.length > 0) return complain('Usage: svcd backup list [--identity <file>]')
  const given = readSettings()
  const identity = values.identity === undefined ? undefined : await readIdentity(values.identity)
  becomeOwner(given)
  const settings = await withDashboard(given)
  return await explained('The backups cannot be listed', async () => {
    const repository = await openRepository(settings, { identity, listsOnly: true })
    try {
      const ids = await repository.snapshotIds()
      if (ids.length === 0) return show(`There are no backups at ${repository.place}.\n`)
      for (const id of ids) show(`${id}  ${await describe(repository, id)}\n`)
      return 0
    } finally {
      await repository.close()
    }
  })
}

async function describe(repository: Repository, id: string): Promise<string> {
  try {
    const snapshot = await repository.readSnapshot(id)
    const packs = snapshot.pieces.filter(({ files }) => packIdOf(files[0]![0]) !== undefined).length
    const damaged = snapshot.pieces.filter(({ damage }) => damage !== undefined).length
    const words = [
      snapshot.created_at,
      `${formatBytes(bytesOf(snapshot))}, ${packs} packs, svcd ${snapshot.svcd}`,
      ...(damaged > 0 ? [`${damaged} were damaged before`] : []),
    ]
    return words.join('  ')
  } catch (error) {
    if (!(error instanceof DamagedObject)) throw error
    return `cannot be read: ${error.message}`
  }
}

// svcd backup verify: restores a backup aside, piece by piece, and says what of it could not be used.
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { formatBytes } from '@svc/contract/bytes'
import { withDashboard } from '../../../compose/stored-settings.ts'
import { readSettings } from '../../../config.ts'
import { becomeOwner } from '../../../data-owner.ts'
import { complain, show } from '../../output.ts'
import { explained } from '../failures.ts'
import { openRepository } from './open.ts'
import type { Repository } from './repository.ts'
import { Verification } from './verification.ts'

export async function verifyBackup(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [wanted = 'latest', extra] = positionals
  if (extra !== undefined) return complain('Usage: svcd backup verify [backup]')
  const given = readSettings()
  becomeOwner(given)
  const settings = await withDashboard(given)
  return await explained('The backup cannot be verified', async () => {
    const repository = await openRepository(settings)
    try {
      const id = await repository.find(wanted)
      return await verifyAside(repository, id, existsSync(settings.dataDir) ? settings.dataDir : tmpdir())
    } finally {
      await repository.close()
    }
  })
}

async function verifyAside(repository: Repository, id: string, near: string): Promise<number> {
  const dir = await mkdtemp(path.join(near, 'backup-verify-'))
  try {
    const { packs, repositories, bytes, damaged } = await new Verification(repository, dir).run(id)
    if (damaged.size === 0)
      return show(
        `The backup ${id} is whole: ${packs} packs with all their files, ${repositories} repositories, the database and the keys, ${formatBytes(bytes)}.\n`,
      )
    const lines = [...damaged].map(([what, words]) => `  ${what}: ${words}`)
    return complain(`The backup ${id} at ${repository.place} is damaged:\n${lines.join('\n')}`)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

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
import { identityOption, readIdentity } from './age.ts'
import { openRepository } from './open.ts'
import type { Repository } from './repository.ts'
import { Verification } from './verification.ts'
import { damagedPieces } from './verify-sealed.ts'

export async function verifyBackup(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: identityOption })
  const [wanted = 'latest', extra] = positionals
  if (extra !== undefined) return complain('Usage: svcd backup verify [backup] [--identity <file>]')
  const given = readSettings()
  const identity = values.identity === undefined ? undefined : await readIdentity(values.identity)
  becomeOwner(given)
  const settings = await withDashboard(given)
  return await explained('The backup cannot be verified', async () => {
    const repository = await openRepository(settings, { identity, listsOnly: true })
    try {
      const id = await repository.find(wanted)
      if (repository.isForRecipients && identity === undefined) return await verifySealed(repository, id)
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
    return complainOf(damaged, id, repository)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Without the private key. */
async function verifySealed(repository: Repository, id: string): Promise<number> {
  const { pieces, bytes, damaged } = await damagedPieces(repository, id)
  if (damaged.size > 0) return complainOf(damaged, id, repository)
  return show(
    `The backup ${id} is there: all its ${pieces} pieces are what was sent, ${formatBytes(bytes)} of files.\n` +
      'Not checked, because only the private key opens them: the files of the deployments, the database and the repositories. To check them: svcd backup verify --identity <file>\n',
  )
}

function complainOf(damaged: ReadonlyMap<string, string>, id: string, { place }: Repository): number {
  const lines = [...damaged].map(([what, words]) => `  ${what}: ${words}`)
  return complain(`The backup ${id} at ${place} is damaged:\n${lines.join('\n')}`)
}

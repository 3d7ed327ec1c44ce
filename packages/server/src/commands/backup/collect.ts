// What both kinds of backups take from a platform: a copy of its database, its keys and its repositories, and words about them.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { openRepos, openStore } from '../../compose/ports.ts'
import { type Settings, s3Settings } from '../../config.ts'
import { type DataDirectory, dataPaths, lockKeys } from '../../data-directory.ts'
import { systemClock } from '../../lib/clock.ts'
import { Fault } from '../../lib/fault.ts'
import { createLog } from '../../log.ts'
import { hasLedger } from '../../store/builds/repository-ledger.ts'
import { snapshotDatabase, storedIn } from '../../store/sqlite/snapshot.ts'
import { complain } from '../output.ts'
import { databaseName } from './format.ts'
import { copyKeys } from './stage.ts'

/** Returns the ids of the deployments that have files. The keys must not be rotated between both copies. */
export async function takeSnapshot(settings: Settings, staged: string): Promise<string[]> {
  const copy = path.join(staged, databaseName)
  await rm(copy, { force: true })
  const unlock = lockKeys(settings, 10_000)
  try {
    await copyDatabase(settings, copy)
    await copyKeys(settings.dataDir, staged)
  } finally {
    unlock()
  }
  return storedIn(copy)
}

async function copyDatabase(settings: Settings, copy: string): Promise<void> {
  if (!settings.databaseUrl) return snapshotDatabase(dataPaths(settings).databaseFile, copy)
  const { snapshotPostgres } = await import('../../store/postgres/snapshot.ts')
  await snapshotPostgres(settings.databaseUrl.reveal(), copy)
}

/** Repositories on the storage go into the backup as the directories that they are on a single machine. */
export async function bringRepositories(settings: Settings, data: DataDirectory): Promise<void> {
  if (!settings.databaseUrl || !s3Settings(settings)) return
  const store = await openStore(settings, data, createLog(settings))
  try {
    if (!(await hasLedger(store.db))) return
    const { copyAll, close } = await openRepos(settings, data, store, systemClock)
    const failed = await copyAll()
    await close()
    if (failed.length > 0)
      throw new Fault(
        'unavailable',
        `The storage does not have everything of these repositories: ${failed.join(', ')}.`,
      )
  } finally {
    await store.close()
  }
}

export function warnOfMissing(ids: string[]): void {
  if (ids.length === 0) return
  const named = ids.slice(0, 5).join(', ') + (ids.length > 5 ? ', …' : '')
  process.stderr.write(
    `svcd: the storage has no files for ${ids.length} deployments, so the backup has none for them: ${named}\n`,
  )
}

export function warnOfKey({ secretKey }: Settings): void {
  if (secretKey)
    process.stderr.write(
      'The key is not in the backup: keep SVCD_SECRET_KEY, without which it is of no use.\n',
    )
}

/** The backup has everything that can be read: the damaged parts may be all that is left of something. */
export function complainOfDamage(damaged: ReadonlyMap<string, string>): number {
  const lines = [...damaged].map(([what, words]) => `  ${what}: ${words}`)
  return complain(`The backup was written, but these parts of it are damaged:\n${lines.join('\n')}`)
}

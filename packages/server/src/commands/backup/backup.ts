// svcd backup: writes the whole platform to one file, also while the server runs.
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openRepos, openStore, packsSettings } from '../../compose/ports.ts'
import { readSettings, type Settings, s3Settings } from '../../config.ts'
import {
  type DataDirectory,
  dataPaths,
  lockBackup,
  lockKeys,
  openDataDirectory,
  requireDataDirectory,
} from '../../data-directory.ts'
import { actAsOwner, asCaller } from '../../data-owner.ts'
import { systemClock } from '../../lib/clock.ts'
import { Fault } from '../../lib/fault.ts'
import { syncDirectory } from '../../lib/sync-directory.ts'
import { createLog } from '../../log.ts'
import { openPacks } from '../../ports/packs/open.ts'
import { damageOf } from '../../ports/packs/verify.ts'
import { hasLedger } from '../../store/builds/repository-ledger.ts'
import { problemsOfDatabase } from '../../store/sqlite/integrity.ts'
import { snapshotDatabase, storedIn } from '../../store/sqlite/snapshot.ts'
import { version } from '../../version.ts'
import { complain, show } from '../output.ts'
import { copyBucket } from './bucket-copies.ts'
import { explained } from './failures.ts'
import { databaseName } from './format.ts'
import { copyKeys, linkPacks, linkRepositories } from './stage.ts'
import { ArchiveWriter } from './write-archive.ts'

export async function backup(args: string[]): Promise<number> {
  const [file, extra] = parseArgs({ args, allowPositionals: true }).positionals
  if (!file || extra !== undefined) return complain('Usage: svcd backup <file>')
  const settings = readSettings()
  requireDataDirectory(settings)
  if (existsSync(file)) throw new Fault('name_taken', `${file} exists already. Choose another name.`)
  const damaged = new Map<string, string>()
  const bytes = await explained('The backup was not made', () => writeBackup(settings, file, damaged))
  if (settings.secretKey)
    process.stderr.write(
      'The key is not in the backup: keep SVCD_SECRET_KEY, without which it is of no use.\n',
    )
  show(`Wrote ${file} (${Math.ceil(bytes / 1024 ** 2)} MB). It holds secrets: keep it private.\n`)
  return damaged.size === 0 ? 0 : complainOfDamage(damaged)
}

/** The backup has everything that can be read: the damaged parts may be all that is left of something. */
function complainOfDamage(damaged: ReadonlyMap<string, string>): number {
  const lines = [...damaged].map(([what, words]) => `  ${what}: ${words}`)
  return complain(`The backup was written, but these parts of it are damaged:\n${lines.join('\n')}`)
}

async function writeBackup(settings: Settings, file: string, damaged: Map<string, string>): Promise<number> {
  actAsOwner(settings)
  const data = openDataDirectory(settings)
  const [staged, unfinished] = [path.join(settings.dataDir, 'backup'), `${file}.part`]
  const unlock = lockBackup(settings)
  try {
    // What a backup that was interrupted left behind.
    await rm(staged, { recursive: true, force: true })
    await asCaller(() => rm(unfinished, { force: true }))
    await mkdir(staged)
    const bytes = await writeArchive(settings, data, { staged, damaged, file: unfinished })
    await asCaller(async () => {
      await rename(unfinished, file)
      syncDirectory(path.dirname(path.resolve(file)))
    })
    return bytes
  } finally {
    await asCaller(() => rm(unfinished, { force: true }))
    await rm(staged, { recursive: true, force: true })
    unlock()
  }
}

async function writeArchive(
  settings: Settings,
  data: DataDirectory,
  { staged, damaged, file }: { staged: string; damaged: Map<string, string>; file: string },
): Promise<number> {
  const archive = await asCaller(() => ArchiveWriter.create(file))
  try {
    if (!settings.databaseUrl)
      for (const problem of problemsOfDatabase(data.databaseFile)) damaged.set('svc.db', problem)
    await addDatabaseAndPacks(settings, data, { staged, damaged, archive })
    await bringRepositories(settings, data)
    await linkRepositories(data.reposDir, staged)
    await archive.addTree(staged)
    return await archive.finish({
      format: 1,
      svcd: version,
      created_at: new Date().toISOString(),
      has_key: !settings.secretKey,
    })
  } finally {
    await archive.close()
  }
}

async function addDatabaseAndPacks(
  settings: Settings,
  data: DataDirectory,
  { staged, damaged, archive }: { staged: string; damaged: Map<string, string>; archive: ArchiveWriter },
): Promise<void> {
  const storage = packsSettings(settings, data)
  if (storage.kind === 's3') {
    const packs = await openPacks(storage, 'writing')
    try {
      const copied = { packs, archive, damaged }
      warnOfMissing(await copyBucket(copied, () => takeSnapshot(settings, staged)))
    } finally {
      await packs.close()
    }
    return
  }
  // Before and after the snapshot: a deployment may be deleted or uploaded meanwhile.
  await linkPacks(storage.dir, staged)
  await takeSnapshot(settings, staged)
  await linkPacks(storage.dir, staged)
  await checkPacks(path.join(staged, 'packs'), damaged)
}

async function checkPacks(dir: string, damaged: Map<string, string>): Promise<void> {
  const packs = await openPacks({ kind: 'disk', dir }, 'writing')
  for await (const id of packs.list()) {
    const source = await packs.open(id)
    const damage = source && (await damageOf(source).finally(() => source.close()))
    if (damage !== undefined) damaged.set(id, damage)
  }
}

/** Returns the ids of the deployments that have files. The keys must not be rotated between both copies. */
async function takeSnapshot(settings: Settings, staged: string): Promise<string[]> {
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
async function bringRepositories(settings: Settings, data: DataDirectory): Promise<void> {
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

function warnOfMissing(ids: string[]): void {
  if (ids.length === 0) return
  const named = ids.slice(0, 5).join(', ') + (ids.length > 5 ? ', …' : '')
  process.stderr.write(
    `svcd: the storage has no files for ${ids.length} deployments, so the backup has none for them: ${named}\n`,
  )
}

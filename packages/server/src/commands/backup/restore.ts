// svcd restore: makes a platform of a backup, where there is none yet.
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { readSettings, type Settings } from '../../config.ts'
import { dataPaths, lockDataDirectory } from '../../data-directory.ts'
import { actAsOwner } from '../../data-owner.ts'
import { Fault } from '../../lib/fault.ts'
import { replaceFile } from '../../lib/replace-file.ts'
import { syncDirectory } from '../../lib/sync-directory.ts'
import { openPrivateDirectory } from '../../private-directory.ts'
import { CommitUnknown } from '../../store/commit-unknown.ts'
import { preparedPlatform, prepareRestored } from '../../store/sqlite/restored.ts'
import { complain, show } from '../output.ts'
import { BucketTarget } from './bucket-target.ts'
import { type DatabaseTarget, openDatabaseTarget } from './database-target.ts'
import { explained } from './failures.ts'
import { databaseName, parts } from './format.ts'
import { type ArchiveSource, archiveFile, readArchive } from './read-archive.ts'
import { identityOption, type OpenKey, readIdentity } from './repository/age.ts'
import { archiveOf } from './repository/archive-of-snapshot.ts'
import { openRepository } from './repository/open.ts'

/** Where a restore writes to: the data directory, and what the settings put elsewhere. */
interface Target {
  settings: Settings
  dataDir: string
  restoreDir: string
  restoreNote: string
  database: DatabaseTarget
  bucket: BucketTarget | undefined
}

export async function restore(args: string[]): Promise<number> {
  const options = { at: { type: 'string' }, ...identityOption } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [file, extra] = positionals
  const { at, identity: identityFile } = values
  if ((file === undefined) === (at === undefined) || extra !== undefined)
    return complain('Usage: svcd restore <file>, or svcd restore --at <time or backup> [--identity <file>]')
  const settings = readSettings()
  if (file !== undefined && !existsSync(file)) throw new Fault('not_found', `There is no file ${file}.`)
  requireNoData(settings)
  const identity = identityFile === undefined ? undefined : await readIdentity(identityFile)
  actAsOwner(settings)
  openPrivateDirectory(settings.dataDir, line => process.stderr.write(`svcd: ${line}\n`))
  const unlock = lockDataDirectory(settings)
  try {
    const done = await explained('The backup was not restored', () =>
      file === undefined
        ? fromRepository(settings, { at: at!, identity }, source => restoreFrom(settings, source))
        : restoreFrom(settings, archiveFile(file)),
    )
    return show(`${done} Start it with 'svcd start'.\n`)
  } finally {
    unlock()
  }
}

/** See "Backups for a key that is not here" in docs/operations.md. */
const unproven =
  'This backup is for a public key. All of it is as it was written, but nothing proves who wrote it: whoever knows the public key and may write to SVCD_BACKUP_URL can make one. Restore it only if nobody else could write there.'

/** Reads a backup at SVCD_BACKUP_URL. */
export async function fromRepository<T>(
  settings: Settings,
  { at, identity }: { at: string; identity: OpenKey | undefined },
  use: (source: ArchiveSource) => Promise<T>,
): Promise<T> {
  const repository = await openRepository(settings, { identity })
  if (repository.isForRecipients) process.stderr.write(`svcd: ${unproven}\n`)
  try {
    return await use(await archiveOf(repository, await repository.find(at)))
  } finally {
    await repository.close()
  }
}

async function restoreFrom(settings: Settings, source: ArchiveSource): Promise<string> {
  const { dataDir } = settings
  const { restoreDir, restoreNote } = dataPaths(settings)
  const database = await openDatabaseTarget(settings)
  const bucket = await BucketTarget.open(settings)
  const target: Target = { settings, dataDir, restoreDir, restoreNote, database, bucket }
  try {
    if (await wasComplete(target)) {
      await rm(restoreDir, { recursive: true })
      return 'An earlier restore is complete, although it was interrupted at its end.'
    }
    // What a restore that was interrupted left behind.
    if (existsSync(restoreNote)) await undo(target)
    await rm(restoreDir, { recursive: true, force: true })
    requireNoData(settings)
    await database.requireEmpty()
    await bucket?.requireEmpty()
    return await restoreOrUndo(target, source)
  } finally {
    await bucket?.close()
    await database.close()
  }
}

/** The note says that everything in the data directory came from this restore, until that is complete or undone. */
async function restoreOrUndo(target: Target, source: ArchiveSource): Promise<string> {
  const { dataDir, restoreDir, restoreNote } = target
  let done: string
  try {
    await mkdir(restoreDir, { mode: 0o700 })
    syncDirectory(dataDir)
    replaceFile(restoreNote, '')
    done = await fill(target, source)
  } catch (error) {
    if (error instanceof CommitUnknown)
      throw new Fault(
        'unavailable',
        "The database stopped answering at the end of the restore. Run 'svcd restore' again when it answers.",
        { cause: error },
      )
    await undo(target).catch(problem => {
      process.stderr.write(
        `svcd: some restored files could not be removed (${(problem as Error).message}). The next 'svcd restore' with these settings removes them.\n`,
      )
    })
    throw error
  }
  await rm(restoreDir, { recursive: true })
  return done
}

/** The database comes last, so that it exists only if all else does. */
async function fill(
  { settings, dataDir, restoreDir, database, bucket }: Target,
  source: ArchiveSource,
): Promise<string> {
  const { manifest, packIds } = await readArchive(source, restoreDir, bucket === undefined)
  if (!manifest.has_key && !settings.secretKey)
    throw new Fault(
      'invalid_request',
      'The backup has no key, because its platform had SVCD_SECRET_KEY. Set the same SVCD_SECRET_KEY and restore again.',
    )
  const restored = path.join(restoreDir, databaseName)
  const platform = await prepareRestored(restored)
  await bucket?.fill(source, packIds, platform)
  for (const part of parts)
    if (part !== databaseName && existsSync(path.join(restoreDir, part)))
      await rename(path.join(restoreDir, part), path.join(dataDir, part))
  syncDirectory(dataDir)
  await database.fill(restored)
  return `Restored the platform of ${manifest.created_at} (svcd ${manifest.svcd}).`
}

/** Whether an earlier restore was interrupted after it had filled the database. */
async function wasComplete({ restoreDir, restoreNote, database }: Target): Promise<boolean> {
  if (!existsSync(restoreNote)) return false
  return database.holds(await preparedPlatform(path.join(restoreDir, databaseName)))
}

/** The database has undone its part. All other parts in the data directory came from the restore. */
async function undo({ dataDir, restoreDir, bucket }: Target): Promise<void> {
  await bucket?.undo()
  for (const part of parts) await rm(path.join(dataDir, part), { recursive: true, force: true })
  await rm(restoreDir, { recursive: true, force: true })
}

/** The files beside a database would be taken for its newest rows. */
const besideDatabase = ['svc.db-wal', 'svc.db-journal']

/** What an interrupted restore left is no platform. */
function requireNoData(settings: Settings): void {
  const { dataDir } = settings
  if (existsSync(dataPaths(settings).restoreNote)) return
  const found = [...parts, ...besideDatabase].find(part => existsSync(path.join(dataDir, part)))
  if (found)
    throw new Fault(
      'name_taken',
      `${dataDir} already holds a platform (${found}). Restore into an empty directory: set SVCD_DATA_DIR, or move ${dataDir} away.`,
    )
}

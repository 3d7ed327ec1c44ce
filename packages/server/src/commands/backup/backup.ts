// svcd backup: writes the whole platform to one file, also while the server runs. `run`, `list` and `verify` are about the
// repository of backups instead.
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { packsSettings } from '../../compose/ports.ts'
import { readSettings, type Settings } from '../../config.ts'
import {
  type DataDirectory,
  lockBackup,
  openDataDirectory,
  requireDataDirectory,
} from '../../data-directory.ts'
import { actAsOwner, asCaller } from '../../data-owner.ts'
import { Fault } from '../../lib/fault.ts'
import { syncDirectory } from '../../lib/sync-directory.ts'
import { openPacks } from '../../ports/packs/open.ts'
import { damageOf } from '../../ports/packs/verify.ts'
import { problemsOfDatabase } from '../../store/sqlite/integrity.ts'
import { version } from '../../version.ts'
import { complain, show } from '../output.ts'
import { copyBucket, copyPack } from './bucket-copies.ts'
import { bringRepositories, complainOfDamage, takeSnapshot, warnOfKey, warnOfMissing } from './collect.ts'
import { eachDiskArchive, snapshotDisks, warnOfDisks } from './disks.ts'
import { dumpDatabases } from './dump-databases.ts'
import { explained } from './failures.ts'
import { type Manifest, packFile } from './format.ts'
import { linkPacks, linkRepositories } from './stage.ts'
import { ArchiveWriter } from './write-archive.ts'

/** A file with one of these names is written to `./run`. */
const verbs: Record<string, () => Promise<(args: string[]) => Promise<number>>> = {
  run: async () => (await import('./repository/run.ts')).runBackup,
  list: async () => (await import('./repository/list.ts')).listBackups,
  verify: async () => (await import('./repository/verify.ts')).verifyBackup,
}

export async function backup(args: string[]): Promise<number> {
  const [first = '', ...rest] = args
  if (Object.hasOwn(verbs, first)) return await (await verbs[first]!())(rest)
  return await backupToFile(args)
}

async function backupToFile(args: string[]): Promise<number> {
  const [file, extra] = parseArgs({ args, allowPositionals: true }).positionals
  if (!file || extra !== undefined)
    return complain('Usage: svcd backup <file>, or svcd backup run, list or verify')
  const settings = readSettings()
  requireDataDirectory(settings)
  if (existsSync(file)) throw new Fault('name_taken', `${file} exists already. Choose another name.`)
  const damaged = new Map<string, string>()
  const bytes = await explained('The backup was not made', () => writeBackup(settings, file, damaged))
  warnOfKey(settings)
  show(`Wrote ${file} (${Math.ceil(bytes / 1024 ** 2)} MB). It holds secrets: keep it private.\n`)
  return damaged.size === 0 ? 0 : complainOfDamage(damaged)
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
    warnOfDisks(await snapshotDisks(settings, data))
    await addDatabaseAndPacks(settings, data, { staged, damaged, archive })
    await eachDiskArchive(data, staged, async (name, write, file) => {
      if (await write(file)) await archive.addFile(name, file)
    })
    await bringRepositories(settings, data)
    await linkRepositories(data.reposDir, staged)
    await dumpDatabases(settings, data, { staged, damaged })
    await archive.addTree(staged)
    return await archive.finish({
      format: 1,
      svcd: version,
      created_at: new Date().toISOString(),
      has_key: !settings.secretKey,
    } satisfies Omit<Manifest, 'files' | 'sha256'>)
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
      const copy = (id: string) =>
        copyPack({ packs, damaged }, id, (size, content) => archive.add(packFile(id), size, content()))
      // One file takes one pack at a time.
      warnOfMissing(await copyBucket({ packs, copy, atOnce: 1 }, () => takeSnapshot(settings, staged)))
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

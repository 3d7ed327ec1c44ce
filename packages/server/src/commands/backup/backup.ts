// svcd backup: writes the whole platform to one file, also while the server runs.
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { readSettings, type Settings } from '../../config.ts'
import { lockBackup, lockKeys, openDataDirectory, requireDataDirectory } from '../../data-directory.ts'
import { Fault } from '../../lib/fault.ts'
import { version } from '../../version.ts'
import { complain, show } from '../output.ts'
import { requireOwnStorage } from './format.ts'
import { stage } from './stage.ts'
import { writeArchive } from './write-archive.ts'

export async function backup(args: string[]): Promise<number> {
  const [file, extra] = parseArgs({ args, allowPositionals: true }).positionals
  if (!file || extra !== undefined) return complain('Usage: svcd backup <file>')
  const settings = readSettings()
  requireDataDirectory(settings)
  requireOwnStorage(settings, 'back up')
  if (existsSync(file)) throw new Fault('name_taken', `${file} exists already. Choose another name.`)
  const bytes = await writeBackup(settings, file)
  if (settings.secretKey)
    process.stderr.write(
      'The key is not in the backup: keep SVCD_SECRET_KEY, without which it is of no use.\n',
    )
  return show(`Wrote ${file} (${Math.ceil(bytes / 1024 ** 2)} MB). It holds secrets: keep it private.\n`)
}

async function writeBackup(settings: Settings, file: string): Promise<number> {
  const { dataDir, secretKey } = settings
  const [staged, unfinished] = [path.join(dataDir, 'backup'), `${file}.part`]
  const unlock = lockBackup(settings)
  try {
    // What a backup that was interrupted left behind.
    await rm(staged, { recursive: true, force: true })
    await rm(unfinished, { force: true })
    await stageWithKeys(settings, staged)
    const about = {
      format: 1,
      svcd: version,
      created_at: new Date().toISOString(),
      has_key: !secretKey,
    } as const
    const bytes = await writeArchive(staged, unfinished, about)
    await rename(unfinished, file)
    return bytes
  } finally {
    await rm(unfinished, { force: true })
    await rm(staged, { recursive: true, force: true })
    unlock()
  }
}

/** The keys must not be rotated between the snapshot of the database and the copy of the keys. */
async function stageWithKeys(settings: Settings, dir: string): Promise<void> {
  const { dataDir, secretKey } = settings
  const data = openDataDirectory(settings)
  const unlock = lockKeys(settings, 10_000)
  try {
    await stage({ data, dataDir, hasKey: !secretKey }, dir)
  } finally {
    unlock()
  }
}

// svcd restore: makes a platform of a backup, in a data directory without one.
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { readSettings, type Settings } from '../../config.ts'
import { lockDataDirectory } from '../../data-directory.ts'
import { Fault } from '../../lib/fault.ts'
import { openPrivateDirectory } from '../../private-directory.ts'
import { complain, show } from '../output.ts'
import { type Manifest, parts, requireOwnStorage } from './format.ts'
import { readArchive } from './read-archive.ts'

export async function restore(args: string[]): Promise<number> {
  const [file, extra] = parseArgs({ args, allowPositionals: true }).positionals
  if (!file || extra !== undefined) return complain('Usage: svcd restore <file>')
  const settings = readSettings()
  requireOwnStorage(settings, 'restore')
  if (!existsSync(file)) throw new Fault('not_found', `There is no file ${file}.`)
  requireNoData(settings)
  openPrivateDirectory(settings.dataDir, line => process.stderr.write(`svcd: ${line}\n`))
  const unlock = lockDataDirectory(settings)
  try {
    const { created_at, svcd } = await restoreFrom(settings, file)
    return show(`Restored the platform of ${created_at} (svcd ${svcd}). Start it with 'svcd start'.\n`)
  } finally {
    unlock()
  }
}

async function restoreFrom(settings: Settings, file: string): Promise<Manifest> {
  const { dataDir, secretKey } = settings
  const unpacked = path.join(dataDir, 'restore')
  // What a restore that was interrupted left behind.
  await rm(unpacked, { recursive: true, force: true })
  try {
    const manifest = await readArchive(file, unpacked)
    if (!manifest.has_key && !secretKey)
      throw new Fault(
        'invalid_request',
        'The backup has no key, because its platform had SVCD_SECRET_KEY. Set the same SVCD_SECRET_KEY and restore again.',
      )
    for (const part of parts)
      if (existsSync(path.join(unpacked, part)))
        await rename(path.join(unpacked, part), path.join(dataDir, part))
    return manifest
  } finally {
    await rm(unpacked, { recursive: true, force: true })
  }
}

function requireNoData({ dataDir }: Settings): void {
  const found = parts.find(part => existsSync(path.join(dataDir, part)))
  if (found)
    throw new Fault(
      'name_taken',
      `${dataDir} already holds a platform (${found}). Restore into an empty directory: set SVCD_DATA_DIR, or move ${dataDir} away.`,
    )
}

// The platform of a backup, unpacked aside, so that one project of it can be taken.
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { withDashboard } from '../../compose/stored-settings.ts'
import { readSettings, type Settings } from '../../config.ts'
import type { Platform } from '../../core/base/platform.ts'
import { actAsOwner } from '../../data-owner.ts'
import { keySource } from '../../key-file.ts'
import { Fault } from '../../lib/fault.ts'
import { Keyring } from '../../lib/seal.ts'
import { openPacks } from '../../ports/packs/open.ts'
import { prepareRestored } from '../../store/sqlite/restored.ts'
import { openSqlite } from '../../store/sqlite/store.ts'
import { databaseName } from '../backup/format.ts'
import { type ArchiveSource, archiveFile, readArchive } from '../backup/read-archive.ts'
import { readIdentity } from '../backup/repository/age.ts'
import { fromRepository } from '../backup/restore.ts'

/** A backup is read without its repositories. */
export type ExportedFrom = Pick<Platform, 'keyring' | 'packs' | 'store'> &
  Partial<Pick<Platform, 'repos'>> & {
    /** When the backup was made. */
    madeAt?: string
  }

/** `file` is a backup, or `at` names one at SVCD_BACKUP_URL. */
export async function inBackup<T>(
  {
    file,
    at,
    identity: identityFile,
  }: { file?: string | undefined; at?: string | undefined; identity?: string | undefined },
  use: (platform: ExportedFrom) => Promise<T>,
): Promise<T> {
  const given = readSettings()
  const identity = identityFile === undefined ? undefined : await readIdentity(identityFile)
  actAsOwner(given)
  const near = existsSync(given.dataDir) ? given.dataDir : tmpdir()
  const dir = await mkdtemp(path.join(near, 'backup-export-'))
  try {
    if (at === undefined) return await inArchive(given, archiveFile(file ?? ''), dir, use)
    const settings = await withDashboard(given)
    return await fromRepository(settings, { at, identity }, source => inArchive(settings, source, dir, use))
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function inArchive<T>(
  settings: Settings,
  source: ArchiveSource,
  dir: string,
  use: (platform: ExportedFrom) => Promise<T>,
): Promise<T> {
  const { manifest } = await readArchive(source, dir, true)
  if (!manifest.has_key && !settings.secretKey)
    throw new Fault('invalid_request', 'The backup has no key. Set the SVCD_SECRET_KEY of its platform.')
  const database = path.join(dir, databaseName)
  await prepareRestored(database)
  const store = await openSqlite(database)
  const packs = await openPacks({ kind: 'disk', dir: path.join(dir, 'packs') }, 'writing')
  try {
    const keyring = new Keyring(keySource({ ...settings, dataDir: dir }))
    return await use({ store, packs, keyring, madeAt: manifest.created_at })
  } finally {
    await packs.close()
    await store.close()
  }
}

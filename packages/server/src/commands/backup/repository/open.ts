// Opens the repository of backups that SVCD_BACKUP_URL names.
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type BackupPlace, backupPlace, type Settings } from '../../../config.ts'
import { Fault } from '../../../lib/fault.ts'
import { openPacks } from '../../../ports/packs/open.ts'
import type { Packs } from '../../../ports/packs/port.ts'
import { noBackups, Repository } from './repository.ts'
import { keyRecordBytesAtMost, makeKey, openKey } from './repository-key.ts'

const keyId = 'repository'

export function requirePlace(settings: Settings): BackupPlace {
  const place = backupPlace(settings)
  if (place) return place
  throw new Fault(
    'invalid_request',
    'SVCD_BACKUP_URL is not set. Set it to a folder on another disk, to s3://… or to sftp://…, and SVCD_BACKUP_PASSPHRASE to a long passphrase.',
  )
}

/** Opens a repository that exists. */
export const openRepository = (settings: Settings): Promise<Repository> =>
  opening(settings, async (storage, { name, passphrase }) => {
    const text = await readKeyRecord(storage)
    if (text === undefined) throw noBackups(name)
    return await unlock(text, passphrase, name)
  })

/** Opens the repository of the platform with this id, and makes it if there is none. No other process may write to it. */
export const openOwnRepository = (settings: Settings, platform: string): Promise<Repository> =>
  opening(settings, async (storage, { name, passphrase }) => {
    if ((await storage.claim(platform)) !== platform)
      throw new Fault(
        'name_taken',
        `${name} has the backups of another platform. Set SVCD_BACKUP_URL to another folder or path.`,
      )
    await storage.discardUnfinished()
    const text = await readKeyRecord(storage)
    if (text !== undefined) return await unlock(text, passphrase, name)
    const made = await makeKey(passphrase)
    const sink = await storage.create(keyId)
    await sink.write(Buffer.from(made.text))
    await sink.commit()
    return made.key
  })

async function opening(
  settings: Settings,
  keyOf: (storage: Packs, place: BackupPlace) => Promise<Buffer>,
): Promise<Repository> {
  const place = requirePlace(settings)
  const storage = await openStorage(settings, place)
  try {
    return new Repository(storage, await keyOf(storage, place), place.name)
  } catch (error) {
    await storage.close()
    throw error
  }
}

async function openStorage({ dataDir }: Settings, { storage }: BackupPlace): Promise<Packs> {
  if (storage.kind === 'disk') return await openPacks(storage, 'writing')
  if (storage.kind === 'sftp') {
    const { SftpPacks } = await import('../../../ports/packs/sftp/packs.ts')
    return await SftpPacks.open(storage.server)
  }
  const uploadsDir = path.join(dataDir, 'backup-uploads')
  return await openPacks({ ...storage, uploadsDir, cacheDir: '', cacheBytes: 0 }, 'writing')
}

async function readKeyRecord(storage: Packs): Promise<string | undefined> {
  const source = await storage.open(keyId)
  if (source === undefined) return undefined
  const length = Math.min(source.size, keyRecordBytesAtMost)
  return (await buffer(source.stream(0, length)).finally(() => source.close())).toString()
}

async function unlock(text: string, passphrase: string, name: string): Promise<Buffer> {
  const key = await openKey(text, passphrase)
  if (key === 'damaged')
    throw new Fault(
      'invalid_archive',
      `The key of the backups at ${name} is damaged, so none of them can be read. It is in the file ${keyId}.pack there.`,
    )
  if (key === 'wrong')
    throw new Fault(
      'invalid_request',
      `SVCD_BACKUP_PASSPHRASE is not the passphrase of the backups at ${name}. Set the one with which the first of them was made.`,
    )
  return key
}

// Opens the repository of backups that SVCD_BACKUP_URL names.
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type BackupLock, type BackupPlace, backupPlace, type Settings } from '../../../config.ts'
import { Fault } from '../../../lib/fault.ts'
import { openPacks } from '../../../ports/packs/open.ts'
import type { Packs } from '../../../ports/packs/port.ts'
import { type OpenKey, sealKey, WrongIdentity } from './age.ts'
import { type ListKeys, listKeyOf } from './list-key.ts'
import { type RecipientsRecord, readRecipientsRecord, recipientsRecordText } from './recipients-record.ts'
import { noBackups, Repository, type RepositoryKeys } from './repository.ts'
import { keyRecordBytesAtMost, makeKey, openKey } from './repository-key.ts'

const keyId = 'repository'

export function requirePlace(settings: Settings): BackupPlace {
  const place = backupPlace(settings)
  if (place) return place
  throw new Fault(
    'invalid_request',
    'SVCD_BACKUP_URL is not set. Set it to a folder on another disk, to s3://… or to sftp://…, and SVCD_BACKUP_PASSPHRASE to a long passphrase, or SVCD_BACKUP_RECIPIENT to a public key of age.',
  )
}

/** What opens backups for public keys. */
interface Reader {
  /** Of a person who has the private key. */
  identity?: OpenKey | undefined
  /** The lists are enough: the platform that made the backups has their key. */
  listsOnly?: boolean
}

/** Opens a repository that exists. */
export async function openRepository(settings: Settings, reader: Reader = {}): Promise<Repository> {
  const place = requirePlace(settings)
  return await opening(settings, place, async storage => {
    const text = await readKeyRecord(storage)
    if (text === undefined) throw noBackups(place.name)
    const record = readRecipientsRecord(text)
    if (record === undefined) return { key: await unlock(text, place.lock, place.name) }
    const { identity } = reader
    if (identity) return { key: await openLists(record, identity, place.name), pieces: { open: identity } }
    const key = reader.listsOnly ? await listKeyOf(settings, place.name) : undefined
    if (key === undefined) throw needsIdentity(place.name)
    return { key, pieces: { open: () => Promise.reject(needsIdentity(place.name)) } }
  })
}

interface Owner {
  /** The id of the platform. */
  platform: string
  listKeys: Pick<ListKeys, 'find' | 'save'>
  identity?: OpenKey | undefined
}

/** Opens the repository of a platform, and makes it if there is none. No other process may write to it. */
export async function openOwnRepository(settings: Settings, owner: Owner): Promise<Repository> {
  const place = requirePlace(settings)
  const { lock, name } = place
  return await opening(settings, place, async storage => {
    const { platform } = owner
    if ((await storage.claim(platform)) !== platform)
      throw new Fault(
        'name_taken',
        `${name} has the backups of another platform. Set SVCD_BACKUP_URL to another folder or path.`,
      )
    await storage.discardUnfinished()
    const text = await readKeyRecord(storage)
    if (lock.kind === 'recipients') return await keysForRecipients(storage, { lock, name, text, ...owner })
    const other = text === undefined ? undefined : readRecipientsRecord(text)
    if (other) throw otherLock(name, other.recipients.join(', '), 'SVCD_BACKUP_RECIPIENT to that')
    if (text !== undefined) return { key: await unlock(text, lock, name) }
    const made = await makeKey(lock.passphrase)
    await writeKeyRecord(storage, made.text)
    return { key: made.key }
  })
}

interface ForRecipients extends Owner {
  lock: Extract<BackupLock, { kind: 'recipients' }>
  name: string
  text: string | undefined
}

/** The key of the pieces of this run is forgotten with the process. */
async function keysForRecipients(storage: Packs, parts: ForRecipients): Promise<RepositoryKeys> {
  const { lock, name, text, listKeys, identity } = parts
  const open = identity ?? (() => Promise.reject(needsIdentity(name)))
  const pieceKey = randomBytes(32)
  const pieces = { open, sealed: { key: pieceKey, text: await sealKey(pieceKey, lock.recipients) } }
  if (text === undefined) {
    const key = randomBytes(32)
    await listKeys.save(name, key)
    await writeKeyRecord(storage, recipientsRecordText(lock.recipients, await sealKey(key, lock.recipients)))
    return { key, pieces }
  }
  const record = readRecipientsRecord(text)
  if (!record)
    throw otherLock(name, 'a passphrase', 'SVCD_BACKUP_PASSPHRASE instead of SVCD_BACKUP_RECIPIENT')
  if (record.recipients.join() !== lock.recipients.join())
    throw otherLock(name, record.recipients.join(', '), 'SVCD_BACKUP_RECIPIENT to that')
  if (identity) await listKeys.save(name, await openLists(record, identity, name))
  const key = await listKeys.find(name)
  if (key === undefined)
    throw new Fault(
      'invalid_request',
      `This platform has lost the key of the lists of its backups at ${name}. Run 'svcd backup run --identity <file>' once with the private key, or set SVCD_BACKUP_URL to an empty place.`,
    )
  return { key, pieces }
}

async function openLists(record: RecipientsRecord, identity: OpenKey, name: string): Promise<Buffer> {
  try {
    return await identity(Buffer.from(record.lists, 'base64'))
  } catch (error) {
    if (!(error instanceof WrongIdentity)) throw error
    throw new Fault(
      'invalid_request',
      `The backups at ${name} are for ${record.recipients.join(', ')}: ${error.message}.`,
      { cause: error },
    )
  }
}

const needsIdentity = (name: string): Fault =>
  new Fault(
    'invalid_request',
    `Only a private key opens the backups at ${name}. Name its file: --identity <file>, or --identity - for stdin.`,
  )

const otherLock = (name: string, what: string, setting: string): Fault =>
  new Fault(
    'invalid_request',
    `The backups at ${name} are encrypted with ${what}. Set ${setting}, or SVCD_BACKUP_URL to an empty place.`,
  )

async function opening(
  settings: Settings,
  place: BackupPlace,
  keysOf: (storage: Packs) => Promise<RepositoryKeys>,
): Promise<Repository> {
  const storage = await openStorage(settings, place)
  try {
    return new Repository(storage, await keysOf(storage), place.name)
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

async function writeKeyRecord(storage: Packs, text: string): Promise<void> {
  const sink = await storage.create(keyId)
  await sink.write(Buffer.from(text))
  await sink.commit()
}

async function unlock(text: string, lock: BackupLock, name: string): Promise<Buffer> {
  if (lock.kind !== 'passphrase')
    throw otherLock(name, 'a passphrase', 'SVCD_BACKUP_PASSPHRASE instead of SVCD_BACKUP_RECIPIENT')
  const key = await openKey(text, lock.passphrase)
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

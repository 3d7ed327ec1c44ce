// Settings of the backups that run by themselves.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { S3Settings } from '../ports/packs/s3/client.ts'
import { readS3Url } from '../ports/packs/s3/url.ts'
import type { SftpSettings } from '../ports/packs/sftp/client.ts'
import { readSftpUrl } from '../ports/packs/sftp/url.ts'
import * as kind from './kinds.ts'
import { SettingError, type SettingsOf, setting, unset } from './setting.ts'
import { s3Credentials, s3Settings, type storageSettings } from './storage.ts'

export const backupSettings = {
  backupUrl: setting(
    'SVCD_BACKUP_URL',
    kind.folderOrUrl('file:', 's3:', 'sftp:'),
    unset('no backups by themselves'),
    'where backups are kept, see [backups](#backups-that-run-by-themselves): a folder on another disk, `s3://bucket/path?endpoint=…&region=…`, or `sftp://user@host/path`',
  ),
  backupPassphrase: setting(
    'SVCD_BACKUP_PASSPHRASE',
    kind.passphrase,
    unset(),
    'encrypts the backups at SVCD_BACKUP_URL. Keep a copy elsewhere: without it they are of no use',
  ),
  backupRecipient: setting(
    'SVCD_BACKUP_RECIPIENT',
    kind.listOf(kind.ageRecipient, 'public keys of age with commas between'),
    unset(),
    'instead of a passphrase: [encrypts for these keys](#backups-for-a-key-that-is-not-here), and nothing on this machine can decrypt',
  ),
  backupSchedule: setting(
    'SVCD_BACKUP_SCHEDULE',
    kind.text,
    'daily',
    'when: `hourly`, `daily` (03:00 UTC), `weekly` (Sunday), a [schedule](crons.md) such as `30 2 * * *`, or `off`',
  ),
  backupKeep: setting(
    'SVCD_BACKUP_KEEP',
    kind.keep,
    { hours: 0, days: 7, weeks: 4, months: 6 },
    'which backups stay: the newest of each of the last hours, days, weeks and months that have one. The newest of all always stays',
  ),
}

type BackupSettings = SettingsOf<typeof backupSettings> &
  SettingsOf<typeof storageSettings> & { dataDir: string }

/** What the backups are encrypted with. */
export type BackupLock =
  | { kind: 'passphrase'; passphrase: string }
  | { kind: 'recipients'; recipients: string[] }

/** The repository of backups. */
export interface BackupPlace {
  /** The URL without its secrets. */
  name: string
  lock: BackupLock
  storage:
    | { kind: 'disk'; dir: string }
    | { kind: 's3'; store: S3Settings }
    | { kind: 'sftp'; server: SftpSettings }
}

/** `undefined` if SVCD_BACKUP_URL is not set. */
export function backupPlace(settings: BackupSettings): BackupPlace | undefined {
  const { backupUrl: url } = settings
  return url && { lock: lockOf(settings), ...placeOf(url.reveal(), settings) }
}

const recipientsAtMost = 5

function lockOf({
  backupPassphrase: passphrase,
  backupRecipient: recipients = [],
}: BackupSettings): BackupLock {
  if (recipients.length > recipientsAtMost)
    throw new SettingError('SVCD_BACKUP_RECIPIENT', `has more than ${recipientsAtMost} keys`)
  if (passphrase && recipients.length > 0)
    throw new SettingError(
      'SVCD_BACKUP_RECIPIENT',
      'is set, and so is SVCD_BACKUP_PASSPHRASE. Backups are encrypted with one of them: unset the other',
    )
  if (recipients.length > 0) return { kind: 'recipients', recipients: [...new Set(recipients)].sort() }
  if (passphrase) return { kind: 'passphrase', passphrase: passphrase.reveal() }
  throw new SettingError(
    'SVCD_BACKUP_PASSPHRASE',
    'is missing: the backups at SVCD_BACKUP_URL are encrypted with it. Set a long passphrase, and keep a copy elsewhere, or set SVCD_BACKUP_RECIPIENT',
  )
}

function placeOf(url: string, settings: BackupSettings): Omit<BackupPlace, 'lock'> {
  if (url.startsWith('s3:')) return bucketOf(url, settings)
  if (url.startsWith('sftp:')) return serverOf(url)
  const dir = path.resolve(url.startsWith('file:') ? fileURLToPath(url) : url)
  const inside = path.relative(settings.dataDir, dir)
  if (inside === '' || !(inside.startsWith('..') || path.isAbsolute(inside)))
    throw new SettingError(
      'SVCD_BACKUP_URL',
      'is in the data directory, with which it would be lost. Name a folder on another disk',
    )
  return { name: dir, storage: { kind: 'disk', dir } }
}

function serverOf(url: string): Omit<BackupPlace, 'lock'> {
  return { name: url, storage: { kind: 'sftp', server: refusing(() => readSftpUrl(url)) } }
}

function bucketOf(url: string, settings: BackupSettings): Omit<BackupPlace, 'lock'> {
  const credentials = s3Credentials(settings)
  const store = refusing(() => readS3Url(url, credentials))
  const { endpoint, bucket, prefix } = store
  const used = s3Settings(settings)
  if (used && used.endpoint === endpoint && used.bucket === bucket && used.prefix === prefix)
    throw new SettingError(
      'SVCD_BACKUP_URL',
      'is where the deployments are. Name another bucket, best at another provider, or at least another path',
    )
  const at = endpoint === undefined ? '' : ` at ${new URL(endpoint).host}`
  return { name: `s3://${bucket}/${prefix}${at}`, storage: { kind: 's3', store } }
}

function refusing<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new SettingError('SVCD_BACKUP_URL', (error as Error).message)
  }
}

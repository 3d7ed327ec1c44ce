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

/** The repository of backups. */
export interface BackupPlace {
  /** The URL without its secrets. */
  name: string
  passphrase: string
  storage:
    | { kind: 'disk'; dir: string }
    | { kind: 's3'; store: S3Settings }
    | { kind: 'sftp'; server: SftpSettings }
}

/** `undefined` if SVCD_BACKUP_URL is not set. */
export function backupPlace(settings: BackupSettings): BackupPlace | undefined {
  const { backupUrl: url, backupPassphrase: passphrase } = settings
  if (!url) return undefined
  if (!passphrase)
    throw new SettingError(
      'SVCD_BACKUP_PASSPHRASE',
      'is missing: the backups at SVCD_BACKUP_URL are encrypted with it. Set a long passphrase, and keep a copy elsewhere',
    )
  return { passphrase: passphrase.reveal(), ...placeOf(url.reveal(), settings) }
}

function placeOf(url: string, settings: BackupSettings): Omit<BackupPlace, 'passphrase'> {
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

function serverOf(url: string): Omit<BackupPlace, 'passphrase'> {
  return { name: url, storage: { kind: 'sftp', server: refusing(() => readSftpUrl(url)) } }
}

function bucketOf(url: string, settings: BackupSettings): Omit<BackupPlace, 'passphrase'> {
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

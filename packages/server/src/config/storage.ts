// Settings of what is stored: the database, deployments, and the keys that seal values.
import type { S3Settings } from '../ports/packs/s3/client.ts'
import type { Credentials } from '../ports/packs/s3/signature.ts'
import { readS3Url } from '../ports/packs/s3/url.ts'
import * as kind from './kinds.ts'
import { requireBoth, SettingError, type SettingsOf, setting, unset } from './setting.ts'

export const storageSettings = {
  databaseUrl: setting(
    'SVCD_DATABASE_URL',
    kind.secretUrl('postgres:', 'postgresql:'),
    unset('SQLite in the data directory'),
    'the database',
  ),
  databaseConnections: setting(
    'SVCD_DATABASE_CONNECTIONS',
    kind.whole(2, 1000),
    10,
    'with PostgreSQL: connections of each process for queries; the change feed has one more',
  ),
  databaseConnectSeconds: setting(
    'SVCD_DATABASE_CONNECT_SECONDS',
    kind.whole(1, 300),
    5,
    'with PostgreSQL: how long a query waits for a connection',
  ),
  databaseStatementSeconds: setting(
    'SVCD_DATABASE_STATEMENT_SECONDS',
    kind.whole(1, 3600),
    30,
    'with PostgreSQL: how long a statement may run',
  ),
  databaseLockSeconds: setting(
    'SVCD_DATABASE_LOCK_SECONDS',
    kind.whole(1, 3600),
    10,
    'with PostgreSQL: how long a statement waits for rows that another transaction changes',
  ),
  databaseFeed: setting(
    'SVCD_DATABASE_FEED',
    kind.choice('listen', 'poll'),
    'listen',
    'with PostgreSQL: how nodes learn of changes; `poll` (four times a second) where a pooler in transaction mode stands between, which LISTEN does not pass',
  ),
  storageUrl: setting(
    'SVCD_STORAGE_URL',
    kind.secretUrl('s3:'),
    unset('the data directory'),
    'where deployments are kept: `s3://bucket?endpoint=…&region=…`, see [S3](#deployments-on-s3)',
  ),
  s3AccessKeyId: setting(
    'SVCD_S3_ACCESS_KEY_ID',
    kind.text,
    unset(),
    'the access key for S3, unless it is in the URL',
  ),
  s3SecretAccessKey: setting(
    'SVCD_S3_SECRET_ACCESS_KEY',
    kind.secret,
    unset(),
    'the secret of that access key',
  ),
  packCacheBytes: setting(
    'SVCD_PACK_CACHE_BYTES',
    kind.bytes(kind.GB, 1024 * 1024 * kind.GB),
    10 * kind.GB,
    'with S3: local disk for copies of deployments',
  ),
  sitesInMemory: setting(
    'SVCD_SITES_IN_MEMORY',
    kind.whole(100, 10_000_000),
    10_000,
    'sites, and as many custom domains, whose rows each process that serves keeps in memory. Others are read from the database at each visit',
  ),
  filesInMemoryBytes: setting(
    'SVCD_FILES_IN_MEMORY_BYTES',
    kind.bytes(kind.MB, 1024 * kind.GB),
    64 * kind.MB,
    'hot files of sites that each process that serves keeps in memory',
  ),
  scrubBytesPerSecond: setting(
    'SVCD_SCRUB_BYTES_PER_SECOND',
    kind.bytes(0, 10 * kind.GB),
    kind.MB,
    'how fast stored deployments are compared with their checksums in the background, see [damaged files](#damaged-files); `0` for never',
  ),
  scrubDays: setting(
    'SVCD_SCRUB_DAYS',
    kind.whole(1, 365),
    7,
    'days from the end of one such reading of all deployments to the next',
  ),
  diskReserveMb: setting(
    'SVCD_DISK_RESERVE_MB',
    kind.whole(0, 1024 * 1024 * 1024),
    unset('5 % of the disk, at most 1024'),
    'while less than this is free, uploads are refused; `0` for no reserve',
  ),
  secretKey: setting(
    'SVCD_SECRET_KEY',
    kind.sealKey,
    unset('made at first start, kept in the data directory'),
    'seals stored values',
  ),
  secretKeysOld: setting(
    'SVCD_SECRET_KEYS_OLD',
    kind.listOf(kind.sealKey, 'keys with commas between'),
    [],
    'earlier keys, until `svcd keys rotate` has sealed everything anew',
  ),
}

/** `undefined` if deployments are kept in the data directory. */
export function s3Settings(settings: SettingsOf<typeof storageSettings>): S3Settings | undefined {
  const credentials = s3Credentials(settings)
  const { storageUrl } = settings
  if (!storageUrl) return undefined
  try {
    return readS3Url(storageUrl.reveal(), credentials)
  } catch (error) {
    throw new SettingError('SVCD_STORAGE_URL', (error as Error).message)
  }
}

/** Those that are not in the URL. */
export function s3Credentials(settings: SettingsOf<typeof storageSettings>): Credentials | undefined {
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secret } = settings
  requireBoth(
    { SVCD_S3_ACCESS_KEY_ID: accessKeyId, SVCD_S3_SECRET_ACCESS_KEY: secret },
    'the access key and its secret belong together',
  )
  return accessKeyId && secret ? { accessKeyId, secretAccessKey: secret.reveal() } : undefined
}

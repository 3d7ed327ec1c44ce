// The data directory of svcd. The first start creates it. Only svcd's user can open it, and one server uses it at a time.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { environmentOf, type Settings } from './config.ts'
import { requireAccess } from './data-owner.ts'
import { freshKeyFile, keySource } from './key-file.ts'
import { Fault } from './lib/fault.ts'
import { randomText } from './lib/ids.ts'
import { replaceFile } from './lib/replace-file.ts'
import { Keyring } from './lib/seal.ts'
import { openPrivateDirectory } from './private-directory.ts'

export interface DataDirectory extends DataPaths {
  keyring: Keyring
  nodeId: string
}

interface DataPaths {
  databaseFile: string
  packsDir: string
  /** Copies of packs, if an S3 store keeps the packs. */
  packCacheDir: string
  /** One file for each upload to the S3 store that is under way. */
  s3UploadsDir: string
  /** The logs of server apps. */
  appLogsDir: string
  /** The unpacked files of server apps. */
  appsDir: string
  /** The disks of server apps. */
  disksDir: string
  /** Copies of the rows that the edge reads, for the time when PostgreSQL does not answer. */
  edgeCopiesDir: string
  /** How far this node has followed the changes. */
  feedCursorFile: string
  /** The repositories of the built-in forge. */
  reposDir: string
  /** The working directories of builds. Each start empties it. */
  buildsDir: string
  /** What a restore has unpacked. It exists only until the restore is complete. */
  restoreDir: string
  /** A file that exists while a restore writes to the data directory. */
  restoreNote: string
  /** Copies of the database from before the last upgrade. */
  upgradeDir: string
  /** svcd's own PostgreSQL server for the projects. */
  postgresDir: string
  /** Dumps of a backup that were not read yet. */
  databaseDumpsDir: string
  /** A file that exists while svcd runs. A crash leaves it. */
  runningNote: string
}

export function openDataDirectory(settings: Settings): DataDirectory {
  openPrivateDirectory(settings.dataDir, line => process.stderr.write(`svcd: ${line}\n`))
  requireAccess(settings.dataDir, ownNames)
  requireWholeData(settings)
  if (!settings.secretKey) makeOnce(settings, 'secret.key', freshKeyFile)
  const nodeFile = makeOnce(settings, 'node-id', () => `${randomText(16)}\n`)
  const nodeId = readFileSync(nodeFile, 'utf8').trim()
  const { appFilesDir } = settings
  return {
    ...dataPaths(settings),
    keyring: new Keyring(keySource(settings)),
    nodeId,
    // Several nodes may share that directory. Each of them empties its own part.
    ...(appFilesDir ? { appsDir: path.join(appFilesDir, nodeId) } : {}),
  }
}

/** What svcd opens in the data directory. */
const ownNames = [
  ...['svc.db', 'svc.db-wal', 'svc.db-shm', 'secret.key', 'node-id', 'running'],
  ...['svcd.lock', 'runner.lock', 'backup.lock', 'keys.lock'],
  ...['packs', 'pack-cache', 's3-uploads', 'app-logs', 'apps', 'disks', 'git', 'builds', 'restore'],
  ...['backup-uploads', 'edge-copies', 'feed-cursor', 'process', 'replacement', 'stored-settings', 'upgrade'],
  ...['postgresql', 'databases'],
]

export function dataPaths({ dataDir: dir }: Pick<Settings, 'dataDir'>): DataPaths {
  return {
    databaseFile: path.join(dir, 'svc.db'),
    packsDir: path.join(dir, 'packs'),
    packCacheDir: path.join(dir, 'pack-cache'),
    s3UploadsDir: path.join(dir, 's3-uploads'),
    appLogsDir: path.join(dir, 'app-logs'),
    appsDir: path.join(dir, 'apps'),
    disksDir: path.join(dir, 'disks'),
    edgeCopiesDir: path.join(dir, 'edge-copies'),
    feedCursorFile: path.join(dir, 'feed-cursor'),
    reposDir: path.join(dir, 'git'),
    buildsDir: path.join(dir, 'builds'),
    restoreDir: path.join(dir, 'restore'),
    restoreNote: path.join(dir, 'restore', 'under-way'),
    upgradeDir: path.join(dir, 'upgrade'),
    postgresDir: path.join(dir, 'postgresql'),
    databaseDumpsDir: path.join(dir, 'databases'),
    runningNote: path.join(dir, 'running'),
  }
}

/** A restore that was interrupted may have left the keys and deployments of a platform here, but not its database. */
function requireWholeData(settings: Settings): void {
  const { restoreNote, databaseFile } = dataPaths(settings)
  if (!existsSync(restoreNote) || (!settings.databaseUrl && existsSync(databaseFile))) return
  throw new Fault(
    'unavailable',
    `A restore into ${settings.dataDir} was interrupted. Run 'svcd restore' again with the same settings.`,
  )
}

/** Throws if there is no data yet. A command that is run in the wrong directory must not create a second platform. */
export function requireDataDirectory(settings: Settings): void {
  if (hasData(settings)) return
  const { SVCD_DATA_DIR: named } = environmentOf(settings)
  const why = named ? `SVCD_DATA_DIR is '${named}'` : 'SVCD_DATA_DIR is not set'
  throw new Fault(
    'not_found',
    `There is no data of svcd in ${settings.dataDir} (${why}). Run this with the settings of 'svcd start', or create a new platform with 'svcd start'.`,
  )
}

/** Throws if there is no data yet and no setting says where to create it. */
export function requireChosenDataDirectory(settings: Settings): void {
  const { SVCD_DATA_DIR: dataDir, SVCD_DATABASE_URL: database } = environmentOf(settings)
  if (!dataDir && !database) requireDataDirectory(settings)
}

/** With PostgreSQL and a key in the settings, the data directory may be empty. */
function hasData({ dataDir, databaseUrl, secretKey }: Settings): boolean {
  if (databaseUrl && secretKey) return true
  return ['node-id', 'secret.key', 'svc.db'].some(name => existsSync(path.join(dataDir, name)))
}

/**
 * Keeps a second server out of the directory until this process ends. A second server would treat the uploads of the
 * first one as interrupted, and remove their files.
 */
export function lockDataDirectory(settings: Settings): () => void {
  return lockFile(
    path.join(settings.dataDir, 'svcd.lock'),
    `another svcd already runs on ${settings.dataDir}; stop it first or set SVCD_DATA_DIR`,
  )
}

/** Keeps a second runner out of the directory. Two runners would stop each other's apps. */
export function lockRunner(settings: Settings): () => void {
  return lockFile(
    path.join(settings.dataDir, 'runner.lock'),
    `another svcd already runs apps on ${settings.dataDir}; stop it first or set SVCD_DATA_DIR`,
  )
}

/** Keeps a second backup out of the directory. Both would collect their files in the same place. */
export function lockBackup(settings: Settings): () => void {
  return lockFile(
    path.join(settings.dataDir, 'backup.lock'),
    `another backup of ${settings.dataDir} is being made; try again when it is done`,
  )
}

/** Keeps a second recovery of the databases out of the directory. Both would use the same place. */
export function lockRecovery({ postgresDir }: Pick<DataPaths, 'postgresDir'>): () => void {
  return lockFile(
    path.join(postgresDir, 'recovery.lock'),
    `databases of ${postgresDir} are being recovered already; try again when that is done`,
  )
}

/** Keeps other processes from changing the key file. */
export function lockKeys(settings: Settings, waitMs = 0): () => void {
  const file = path.join(settings.dataDir, 'keys.lock')
  return lockFile(
    file,
    `another svcd is changing the keys in ${settings.dataDir}; try again when it is done`,
    waitMs,
  )
}

/** Locks a file until the returned function is called or the process ends. So a crash leaves nothing locked. */
export function lockFile(file: string, busy: string, waitMs = 0): () => void {
  const held = new DatabaseSync(file, { timeout: waitMs })
  try {
    held.exec('begin exclusive')
  } catch (cause) {
    held.close()
    throw new Fault('unavailable', busy, { cause })
  }
  return () => held.close()
}

/** Returns the path of a file, and creates the file if it is missing. The lock lets only one process create it. */
function makeOnce(settings: Settings, name: string, content: () => string): string {
  const file = path.join(settings.dataDir, name)
  if (existsSync(file)) return file
  const unlock = lockKeys(settings, 10_000)
  try {
    if (!existsSync(file)) replaceFile(file, content())
    return file
  } finally {
    unlock()
  }
}

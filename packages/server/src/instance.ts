// The data directory of an instance: made at first start, private, used by one server at a time.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { environmentOf, type Settings } from './config.ts'
import { freshKeyFile, keySource } from './key-file.ts'
import { Fault } from './lib/fault.ts'
import { randomText } from './lib/ids.ts'
import { replaceFile } from './lib/replace-file.ts'
import { Keyring } from './lib/seal.ts'
import { openPrivateDirectory } from './private-directory.ts'

export interface Instance {
  keyring: Keyring
  nodeId: string
  databaseFile: string
  packsDir: string
  /** With a remote storage: copies of its packs, and notes of uploads under way. */
  packCacheDir: string
  s3UploadsDir: string
  /** What server apps write. */
  appLogsDir: string
  /** The files of server apps, as they run in them. */
  appsDir: string
  /** The repositories of the built-in forge. */
  reposDir: string
  /** Where builds work; emptied at each start. */
  buildsDir: string
}

export function openInstance(settings: Settings): Instance {
  const dir = settings.dataDir
  openPrivateDirectory(dir, line => process.stderr.write(`svcd: ${line}\n`))
  if (!settings.secretKey) makeOnce(settings, 'secret.key', freshKeyFile)
  return {
    keyring: new Keyring(keySource(settings)),
    nodeId: readFileSync(
      makeOnce(settings, 'node-id', () => `${randomText(16)}\n`),
      'utf8',
    ).trim(),
    databaseFile: path.join(dir, 'svc.db'),
    packsDir: path.join(dir, 'packs'),
    packCacheDir: path.join(dir, 'pack-cache'),
    s3UploadsDir: path.join(dir, 's3-uploads'),
    appLogsDir: path.join(dir, 'app-logs'),
    appsDir: path.join(dir, 'apps'),
    reposDir: path.join(dir, 'git'),
    buildsDir: path.join(dir, 'builds'),
  }
}

/** For commands that tend an instance: run in the wrong directory they must not make a second one. */
export function requireInstance(settings: Settings): void {
  if (hasInstance(settings)) return
  const { SVCD_DATA_DIR: named } = environmentOf(settings)
  const why = named ? `SVCD_DATA_DIR is '${named}'` : 'SVCD_DATA_DIR is not set'
  throw new Fault(
    'not_found',
    `There is no instance in ${settings.dataDir} (${why}). Run this with the settings of 'svcd start', or make a new instance with 'svcd start'.`,
  )
}

/** The same for commands that may prepare a new instance, if a setting says where. */
export function requireChosenInstance(settings: Settings): void {
  const { SVCD_DATA_DIR: dataDir, SVCD_DATABASE_URL: database } = environmentOf(settings)
  if (!dataDir && !database) requireInstance(settings)
}

/** With PostgreSQL and a key in the settings nothing need be in the data directory. */
function hasInstance({ dataDir, databaseUrl, secretKey }: Settings): boolean {
  if (databaseUrl && secretKey) return true
  return ['node-id', 'secret.key', 'svc.db'].some(name => existsSync(path.join(dataDir, name)))
}

/**
 * Holds the directory until the process ends, however it ends: a second server on the same files would take
 * the first one's uploads for interrupted ones.
 */
export function lockInstance(settings: Settings): () => void {
  return lock(
    path.join(settings.dataDir, 'svcd.lock'),
    `another svcd already runs on ${settings.dataDir}; stop it first or set SVCD_DATA_DIR`,
  )
}

/** Held by the one program on these files that runs apps: two would end each other's. */
export function lockRunner(settings: Settings): () => void {
  return lock(
    path.join(settings.dataDir, 'runner.lock'),
    `another svcd already runs apps on ${settings.dataDir}; stop it first or set SVCD_DATA_DIR`,
  )
}

/** Held by whoever writes the key file, or needs it to stay as it is. */
export function lockKeys(settings: Settings, waitMs = 0): () => void {
  const file = path.join(settings.dataDir, 'keys.lock')
  return lock(
    file,
    `another svcd is changing the keys in ${settings.dataDir}; try again when it is done`,
    waitMs,
  )
}

/** Goes with the process, so that nothing is left locked after a crash. */
function lock(file: string, busy: string, waitMs = 0): () => void {
  const held = new DatabaseSync(file, { timeout: waitMs })
  try {
    held.exec('begin exclusive')
  } catch (cause) {
    held.close()
    throw new Fault('unavailable', busy, { cause })
  }
  return () => held.close()
}

/** A file that is made once, whole, by whichever program of ours comes first. */
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

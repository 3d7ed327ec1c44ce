// The data directory of an instance: made at first start, private, used by one server at a time.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { Settings } from './config.ts'
import { randomText } from './lib/ids.ts'
import { Secret } from './lib/secret.ts'

export interface Instance {
  secretKey: Secret
  nodeId: string
  databaseFile: string
  packsDir: string
}

export function openInstance(settings: Settings): Instance {
  const dir = settings.dataDir
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const key =
    settings.secretKey?.reveal() ?? once(dir, 'secret.key', () => randomBytes(32).toString('base64'))
  return {
    secretKey: new Secret(key),
    nodeId: once(dir, 'node-id', () => randomText(16)),
    databaseFile: path.join(dir, 'svc.db'),
    packsDir: path.join(dir, 'packs'),
  }
}

/**
 * Holds the directory until the process ends, however it ends: a second server on the same files would take
 * the first one's uploads for interrupted ones.
 */
export function lockInstance(settings: Settings): () => void {
  const lock = new Database(path.join(settings.dataDir, 'svcd.lock'), { timeout: 0 })
  try {
    lock.exec('begin exclusive')
  } catch (cause) {
    lock.close()
    throw new Error(`another svcd already runs on ${settings.dataDir}; stop it first or set SVCD_DATA_DIR`, {
      cause,
    })
  }
  return () => lock.close()
}

/** The content of a file that is made once. */
function once(dir: string, name: string, make: () => string): string {
  const file = path.join(dir, name)
  if (!existsSync(file))
    try {
      writeFileSync(file, `${make()}\n`, { mode: 0o600, flag: 'wx', flush: true })
    } catch (error) {
      // Another program of ours may have been faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  return readFileSync(file, 'utf8').trim()
}

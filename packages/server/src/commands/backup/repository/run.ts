// svcd backup run: adds a backup to the repository that SVCD_BACKUP_URL names. Only what is new is sent.
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { setPriority } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { formatBytes } from '@svc/contract/bytes'
import { openStore } from '../../../compose/ports.ts'
import { withDashboard } from '../../../compose/stored-settings.ts'
import { readSettings, type Settings } from '../../../config.ts'
import {
  type DataDirectory,
  lockBackup,
  openDataDirectory,
  requireDataDirectory,
} from '../../../data-directory.ts'
import { becomeOwner } from '../../../data-owner.ts'
import { Fault } from '../../../lib/fault.ts'
import { createLog } from '../../../log.ts'
import { recordGoodBackup, recordSnapshots } from '../../../store/platform/backups.ts'
import { platformId } from '../../../store/platform/platform-id.ts'
import type { Store } from '../../../store/store.ts'
import { version } from '../../../version.ts'
import { complain, show } from '../../output.ts'
import { complainOfDamage, warnOfKey, warnOfMissing } from '../collect.ts'
import { explained } from '../failures.ts'
import { type OpenKey, readIdentity } from './age.ts'
import { holding } from './lease.ts'
import { ListKeys } from './list-key.ts'
import { openOwnRepository, requirePlace } from './open.ts'
import { prune } from './prune.ts'
import type { Repository } from './repository.ts'
import { sendPlatform } from './send-platform.ts'
import { SnapshotWriter } from './snapshot-writer.ts'

/** The exit code of a scheduled backup that another one keeps from beginning: EX_TEMPFAIL of sysexits. */
const busyCode = 75

export async function runBackup(args: string[]): Promise<number> {
  const options = { scheduled: { type: 'boolean', default: false }, identity: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  if (positionals.length > 0) return complain('Usage: svcd backup run [--identity <file>]')
  const given = readSettings()
  requireDataDirectory(given)
  // The caller can read this file, and perhaps the owner of the data directory cannot.
  const identity = values.identity === undefined ? undefined : await readIdentity(values.identity)
  becomeOwner(given)
  const settings = await withDashboard(given)
  requirePlace(settings)
  // Visitors come first.
  if (values.scheduled) setPriority(10)
  try {
    const code = await explained('The backup was not made', () => addBackup(settings, identity))
    // What is damaged is recorded. A job that fails would be tried again.
    return values.scheduled ? 0 : code
  } catch (error) {
    if (!values.scheduled || !(error instanceof Fault) || error.code !== 'run_under_way') throw error
    complain(error.message)
    return busyCode
  }
}

async function addBackup(settings: Settings, identity: OpenKey | undefined): Promise<number> {
  const { name: place } = requirePlace(settings)
  const data = openDataDirectory(settings)
  const unlock = lockOrRefuse(settings)
  try {
    const store = await openStore(settings, data, createLog(settings))
    try {
      await store.migrate()
      return await holding(store, { place, nodeId: data.nodeId }, requireHeld =>
        withRepository(settings, { store, identity }, repository =>
          writeSnapshot(settings, data, { store, repository, requireHeld }),
        ),
      )
    } finally {
      await store.close()
    }
  } finally {
    unlock()
  }
}

function lockOrRefuse(settings: Settings): () => void {
  try {
    return lockBackup(settings)
  } catch (error) {
    throw error instanceof Fault ? new Fault('run_under_way', error.message, { cause: error }) : error
  }
}

async function withRepository<T>(
  settings: Settings,
  { store: { db }, identity }: { store: Store; identity: OpenKey | undefined },
  work: (repository: Repository) => Promise<T>,
): Promise<T> {
  const platform = await platformId(db, randomUUID)
  const listKeys = new ListKeys(db, settings)
  const repository = await openOwnRepository(settings, { platform, listKeys, identity })
  return await work(repository).finally(() => repository.close())
}

interface Parts {
  store: Store
  repository: Repository
  requireHeld(): Promise<void>
}

async function writeSnapshot(settings: Settings, data: DataDirectory, parts: Parts): Promise<number> {
  const { store, repository, requireHeld } = parts
  const staged = path.join(settings.dataDir, 'backup')
  const damaged = new Map<string, string>()
  try {
    // What a backup that was interrupted left behind.
    await rm(staged, { recursive: true, force: true })
    await mkdir(staged)
    const writer = await SnapshotWriter.begin(repository)
    const missing = await sendPlatform(settings, data, { writer, staged, damaged })
    await requireHeld()
    const about = {
      format: 1,
      svcd: version,
      created_at: new Date().toISOString(),
      has_key: !settings.secretKey,
    } as const
    const { id, bytes } = await writer.finish(about)
    const { pieces, bytes: sent_bytes } = writer.sent
    const good = { good_id: id, good_bytes: bytes, sent_bytes, damaged: damaged.size }
    await recordGoodBackup(store.db, repository.place, { ...good, now: Date.now() })
    warnOfMissing(missing)
    warnOfKey(settings)
    show(
      `Made the backup ${id} (${formatBytes(bytes)}) at ${repository.place}. Sent ${pieces} new pieces, ${formatBytes(sent_bytes)}.\n`,
    )
    const kept = await prune(repository, settings.backupKeep, requireHeld)
    await recordSnapshots(store.db, repository.place, kept)
    return damaged.size === 0 ? 0 : complainOfDamage(damaged)
  } finally {
    await rm(staged, { recursive: true, force: true })
  }
}

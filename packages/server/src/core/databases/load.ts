// Replaces what the database of a project holds by a dump. The dump fills a new database, which takes the place of the one before
// when it is complete. So until then, and if it fails, the app goes on with what it has.
import { Readable } from 'node:stream'
import { type Database, limits, type RemovedDatabase } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { minuteMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { type Databases, DumpRefused } from '../../ports/databases/port.ts'
import {
  databaseNamed,
  deleteDatabase,
  expireRemovedDatabases,
  findDatabase,
  insertDatabase,
  updateDatabase,
} from '../../store/databases/databases.ts'
import type { AppDatabaseRow } from '../../store/databases/rows.ts'
import { lockProject } from '../../store/projects/projects.ts'
import { applyToApps } from '../base/app-restarts.ts'
import { audit } from '../base/audit.ts'
import type { DatabaseParts, Platform } from '../base/platform.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import {
  close,
  describeDatabase,
  describeRemoved,
  newRow,
  previewSettings,
  production,
  requireDatabase,
  requireRoom,
  setAside,
  startedServer,
} from './databases.ts'
import { fillAlone } from './filling.ts'
import { openDatabase } from './password.ts'

/** A dump that takes longer is given up. */
export const fillsWithinMs = limits.loadMinutes * minuteMs

interface Load {
  /** The name of the project. */
  confirm: string
  dump: Readable
  /** Without its client, the dump is given up. */
  gone: AbortSignal
  confirmRights: () => Promise<void>
}

export async function loadDump(
  platform: DatabaseParts,
  caller: Parameters<typeof audit>[2],
  project: ProjectScope,
  { confirm, dump, gone, confirmRights }: Load,
): Promise<{ database: Database; removed: RemovedDatabase; restarting?: boolean }> {
  if (confirm !== project.name)
    throw new Fault('invalid_request', `confirm: must be the name of the project, ${project.name}`)
  const server = await startedServer(platform)
  const old = await requireDatabase(platform, project)
  const replace = async (confirmAlone: () => Promise<void>) => {
    const row = await insertCandidate(platform, server, old)
    try {
      await server.ensure(openDatabase(platform, row))
      await fill(platform, server, { row, dump, gone })
      const full = { ...row, connections: old.connections }
      await server.ensure(openDatabase(platform, full))
      await confirmRights()
      if (gone.aborted) throw clientIsGone()
      await confirmAlone()
      return await takePlace(platform, caller, project, { old, row: full })
    } catch (error) {
      await drop(platform, server, row)
      throw error
    }
  }
  return await fillAlone(platform, old.id, replace, () => {
    throw new Fault('run_under_way', 'A dump is being restored already. Wait until that has ended.')
  })
}

/** One connection is enough to fill it. */
async function insertCandidate(
  platform: DatabaseParts,
  server: Databases,
  old: AppDatabaseRow,
): Promise<AppDatabaseRow> {
  const { size_bytes } = old
  const row = { ...newRow(platform, null), ...previewSettings(old), size_bytes, connections: 1 }
  await platform.store.transact(async tx => {
    await requireRoom(server, tx, row.connections)
    await insertDatabase(tx, row)
  })
  return row
}

interface Filling {
  row: AppDatabaseRow
  /** If it is not the one that its apps know. */
  password?: string
  dump: Readable
  gone?: AbortSignal
  withinMs?: number
}

/** Fills an empty database. `keepDatabases` ends it when the database is too large. */
export async function fill(
  platform: DatabaseParts,
  server: Databases,
  { row, password, dump, gone, withinMs = fillsWithinMs }: Filling,
): Promise<void> {
  const database = { ...openDatabase(platform, row), ...(password !== undefined && { password }) }
  const tooLong = platform.clock.timeout(withinMs)
  let broken: unknown
  const input = Readable.from(atMost(row.size_bytes, dump)).on('error', error => {
    broken = error
  })
  try {
    const ends = gone ? AbortSignal.any([tooLong, gone]) : tooLong
    await server.restore(database, input, ends)
  } catch (cause) {
    if (gone?.aborted) throw clientIsGone()
    if (tooLong.aborted)
      throw new Fault(
        'unavailable',
        `The dump was not restored within ${withinMs / minuteMs} minutes. Nothing was changed.`,
      )
    if (broken) throw broken
    const now = await databaseNamed(platform.store.db, row.id)
    if (now?.mode !== 'writable')
      throw new Fault(
        'quota_exceeded',
        `The dump holds more than the ${formatBytes(row.size_bytes)} of the database. Nothing was changed.`,
      )
    if (!(cause instanceof DumpRefused)) throw cause
    throw new Fault(
      'invalid_archive',
      `The dump was not restored, and nothing was changed: ${cause.message}`,
      {
        cause,
      },
    )
  }
}

const clientIsGone = () => new Fault('invalid_request', 'The connection was closed. Nothing was changed.')

async function* atMost(bytes: number, dump: Readable): AsyncGenerator<Buffer> {
  let read = 0
  for await (const chunk of dump as AsyncIterable<Buffer>) {
    read += chunk.length
    if (read > bytes)
      throw new Fault(
        'payload_too_large',
        `A dump may have at most the ${formatBytes(bytes)} of the database. Nothing was changed.`,
      )
    yield chunk
  }
}

async function takePlace(
  platform: DatabaseParts,
  caller: Parameters<typeof audit>[2],
  project: ProjectScope,
  { old, row }: { old: AppDatabaseRow; row: AppDatabaseRow },
): ReturnType<typeof loadDump> {
  const now = platform.clock.now()
  const loaded = await platform.store.transact(async (tx, changed) => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const replaced = await findDatabase(tx, project.id)
    if (replaced?.id !== old.id)
      throw new Fault('not_found', 'The database was removed while the dump was restored.')
    await expireRemovedDatabases(tx, project.id)
    await setAside(tx, old, now)
    const { connections } = row
    // An admin may have masked the copies of previews since the restore began.
    const change = { project_id: project.id, connections, ready_at: now, ...previewSettings(replaced) }
    await updateDatabase(tx, row.id, change)
    await audit(platform, tx, caller, { action: 'database.load', project, target: row.id })
    const restarting = await applyToApps(tx, changed, project, production)
    const database = await describeDatabase(tx, { ...row, ...change })
    return { database, ...(restarting !== undefined && { restarting }) }
  })
  await close(platform, old.id)
  return { ...loaded, removed: describeRemoved(old.id, now) }
}

/** If the server does not answer now, `keepDatabases` deletes it. */
async function drop(
  { store }: Pick<Platform, 'store'>,
  server: Databases,
  { id }: AppDatabaseRow,
): Promise<void> {
  try {
    await server.remove(id)
    await deleteDatabase(store.db, id)
  } catch {
    // The row is left, without a project.
  }
}

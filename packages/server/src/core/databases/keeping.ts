// Keeps the databases of projects in order: measures them, holds them to their size, ends what takes too long, and deletes those
// whose time is over.
import { hourMs } from '@svc/contract/durations'
import type { DatabaseMode, Databases } from '../../ports/databases/port.ts'
import {
  deleteDatabase,
  expirePreviewDatabases,
  hasDatabases,
  listDatabases,
  updateDatabase,
  updateRemoved,
} from '../../store/databases/databases.ts'
import type { AppDatabaseRow } from '../../store/databases/rows.ts'
import type { DatabaseParts } from '../base/platform.ts'
import { removedKeptMs } from './databases.ts'
import { fillsWithinMs } from './load.ts'
import { openDatabase } from './password.ts'

/** Does nothing, and starts no server, while no project has a database. */
export async function keepDatabases(platform: DatabaseParts): Promise<void> {
  const { databases: server, store } = platform
  if (!server) return
  if (!(await hasDatabases(store.db))) return
  await expirePreviewDatabases(store.db, platform.clock.now() - hourMs)
  const rows = await listDatabases(store.db)
  await server.start()
  const used = new Map((await server.list()).map(({ name, usedBytes }) => [name, usedBytes]))
  const problems: unknown[] = []
  for (const row of rows)
    await keep(platform, server, row, used.get(row.id)).catch(error => problems.push(error))
  await server.endLong()
  if (problems.length > 0) throw new AggregateError(problems, `${problems.length} databases`)
}

async function keep(
  platform: DatabaseParts,
  server: Databases,
  row: AppDatabaseRow,
  usedBytes: number | undefined,
): Promise<void> {
  const { db } = platform.store
  const now = platform.clock.now()
  const isOver = row.removed_at !== null && (row.removed_at + removedKeptMs <= now || usedBytes === undefined)
  // A svcd that fills it would make it anew.
  if (isOver && Number(row.filled_until ?? 0) > now) return
  if (isOver) {
    // From here on it cannot be brought back.
    if (!(await updateRemoved(db, row, { project_id: null }))) return
    await server.remove(row.id)
    return await deleteDatabase(db, row.id)
  }
  // The project was deleted, or what filled the database has ended without taking it away.
  const isFilling = row.ready_at === null && now - row.created_at < 2 * fillsWithinMs
  const isOrphan = row.project_id === null && row.branch === '' && !isFilling
  // One that was never filled is of no use to anyone.
  const removedAt = row.removed_at ?? (isOrphan ? (row.ready_at === null ? 0 : now) : null)
  if (removedAt !== row.removed_at)
    await updateDatabase(db, row.id, { removed_at: removedAt, ready_at: null })
  if (usedBytes === undefined) return
  if (usedBytes !== row.used_bytes) await updateDatabase(db, row.id, { used_bytes: usedBytes })
  const mode = removedAt === null ? modeFor(usedBytes, row.size_bytes) : 'closed'
  if (mode === row.mode) return
  await server.setMode(row.id, mode)
  await updateDatabase(db, row.id, { mode })
}

/** A session can leave the read-only mode, to delete rows. So there is a second limit, which holds. */
const modeFor = (used: number, size: number): DatabaseMode => {
  if (used > size * 1.1) return 'closed'
  return used > size ? 'read-only' : 'writable'
}

/**
 * Makes what the server lacks, as after a restore of the platform. `fill` fills a database that was missing. If it fails, there is
 * no database: an app must not take an empty one for its own.
 */
export async function makeMissing(
  platform: DatabaseParts,
  fill: (row: AppDatabaseRow) => Promise<void>,
  onError: (error: unknown, row: AppDatabaseRow) => void,
): Promise<void> {
  const { databases: server, store } = platform
  const rows = (await listDatabases(store.db)).filter(({ ready_at }) => ready_at !== null)
  if (!server || rows.length === 0) return
  await server.start()
  const existing = new Set((await server.list()).map(({ name }) => name))
  for (const row of rows)
    if (existing.has(row.id)) continue
    // A preview starts with an empty one.
    else if (row.branch !== '') await updateDatabase(store.db, row.id, { ready_at: null })
    else {
      try {
        await server.ensure(openDatabase(platform, row))
        await fill(row)
      } catch (error) {
        await server.remove(row.id)
        onError(error, row)
      }
    }
}

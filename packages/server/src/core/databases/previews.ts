// The databases of previews: each branch of a project that has a database gets one of its own, when its app starts first.
import { PassThrough } from 'node:stream'
import { limits } from '@svc/contract'
import { minuteMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import type { Databases } from '../../ports/databases/port.ts'
import {
  countPreviewDatabases,
  findDatabase,
  findPreviewDatabase,
  insertDatabase,
  sumOfConnections,
  updateDatabase,
} from '../../store/databases/databases.ts'
import type { AppDatabaseRow } from '../../store/databases/rows.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Tx } from '../../store/store.ts'
import type { DatabaseParts } from '../base/platform.ts'
import { newRow, startedServer } from './databases.ts'
import { fill } from './load.ts'
import { openDatabase } from './password.ts'

/** The start of the preview waits for it. */
const copiesWithinMs = 2 * minuteMs

interface Preview {
  projectId: string
  branch: string
}

/** `undefined` if the preview gets none: the project has no database, or too many of its branches have one. */
export async function databaseOfPreview(
  platform: DatabaseParts,
  preview: Preview,
): Promise<AppDatabaseRow | undefined> {
  const { store, clock } = platform
  const known = await findPreviewDatabase(store.db, preview)
  if (known && known.ready_at !== null) return known
  const production = await findDatabase(store.db, preview.projectId)
  if (!production) return undefined
  const server = await startedServer(platform)
  const row = await store.transact(tx => claimRow(platform, tx, preview, server.connectionsAtMost))
  if (!row) return undefined
  await server.ensure(openDatabase(platform, row))
  if (production.preview_data === 'copy') await copyOnce(platform, server, { from: production, to: row })
  await updateDatabase(store.db, row.id, { ready_at: clock.now() })
  return row
}

interface Copy {
  from: AppDatabaseRow
  to: AppDatabaseRow
}

/** Instances of a branch that start at the same time wait for one copy. */
const copies = new Map<string, Promise<void>>()

function copyOnce(platform: DatabaseParts, server: Databases, { from, to }: Copy): Promise<void> {
  const running = copies.get(to.id)
  if (running) return running
  const copy = copyData(platform, server, { from, to }).finally(() => copies.delete(to.id))
  copies.set(to.id, copy)
  return copy
}

/** A dump is read as the role of production, and restored as that of the preview. So no rights or passwords pass. */
async function copyData(platform: DatabaseParts, server: Databases, { from, to }: Copy): Promise<void> {
  const dump = new PassThrough()
  const dumped = server.dump(openDatabase(platform, from), dump).catch((error: Error) => dump.destroy(error))
  try {
    await fill(platform, server, { row: to, dump, withinMs: copiesWithinMs })
  } catch (cause) {
    // A program that was given up may go on to fill it. The next start makes it anew.
    await server.remove(to.id)
    if (!(cause instanceof Fault)) throw cause
    const advice = "With 'svc db previews empty', previews begin with an empty database."
    throw new Fault('unavailable', `The data of production was not copied. ${cause.message} ${advice}`, {
      cause,
    })
  } finally {
    dump.destroy()
    await dumped
  }
}

/** Several instances may start at a time. They share the database. */
async function claimRow(
  platform: DatabaseParts,
  tx: Tx,
  preview: Preview,
  connectionsAtMost: number,
): Promise<AppDatabaseRow | undefined> {
  if (!(await lockProject(tx, preview.projectId))) return undefined
  const known = await findPreviewDatabase(tx, preview)
  if (known) return known
  if ((await countPreviewDatabases(tx, preview.projectId)) >= limits.previewDatabases) return undefined
  const connections = Math.min(limits.previewDatabaseConnections, platform.databaseLimits.connections)
  // Previews leave room for the database of another project.
  const taken = (await sumOfConnections(tx)) + platform.databaseLimits.connections
  if (taken + connections > connectionsAtMost) return undefined
  const row = {
    ...newRow(platform, null),
    preview_of: preview.projectId,
    branch: preview.branch,
    connections,
  }
  await insertDatabase(tx, row)
  return row
}

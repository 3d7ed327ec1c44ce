// The databases of previews: each branch of a project that has a database gets one of its own, when its app starts first.
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { limits } from '@svc/contract'
import { minuteMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { newSecret } from '../../lib/ids.ts'
import { runStatements, StatementFailed } from '../../lib/postgres-statements.ts'
import type { AppDatabase, Databases } from '../../ports/databases/port.ts'
import {
  countPreviewDatabases,
  databaseNamed,
  findDatabase,
  findPreviewDatabase,
  insertDatabase,
  sumOfConnections,
} from '../../store/databases/databases.ts'
import type { AppDatabaseRow } from '../../store/databases/rows.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Tx } from '../../store/store.ts'
import type { DatabaseParts } from '../base/platform.ts'
import { newRow, startedServer } from './databases.ts'
import { type Confirm, fillAlone } from './filling.ts'
import { fill } from './load.ts'
import { openDatabase } from './password.ts'

/** The start of the preview waits for it. */
const copiesWithinMs = 2 * minuteMs
const lookEveryMs = 500

interface Preview {
  projectId: string
  branch: string
}

/** The right to fill a database, as `fillAlone` gives it. */
interface Right {
  confirm: Confirm
  holder: string
}

/** `undefined` if the preview gets none: the project has no database, or too many of its branches have one. */
export async function databaseOfPreview(
  platform: DatabaseParts,
  preview: Preview,
): Promise<AppDatabaseRow | undefined> {
  const { store, clock } = platform
  for (;;) {
    const known = await findPreviewDatabase(store.db, preview)
    if (known && known.ready_at !== null) return known
    if (!(await findDatabase(store.db, preview.projectId))) return undefined
    const server = await startedServer(platform)
    const row = await store.transact(tx => claimRow(platform, tx, preview, server.connectionsAtMost))
    if (!row) return undefined
    const make = (confirm: Confirm, holder: string) =>
      makeReady(platform, server, preview, { confirm, holder }).catch(async error => {
        // The sweep may have deleted its row while this svcd stood still, and finds no database without a row.
        if (!(await databaseNamed(store.db, row.id))) await server.remove(row.id)
        throw error
      })
    const made = await fillAlone(platform, row.id, make, () => undefined)
    if (made) return made
    // Another start of the branch makes it, here or on another node.
    await once(clock.timeout(lookEveryMs), 'abort')
  }
}

async function makeReady(
  platform: DatabaseParts,
  server: Databases,
  preview: Preview,
  { confirm, holder }: Right,
): Promise<AppDatabaseRow | undefined> {
  const { store, clock } = platform
  const to = await findPreviewDatabase(store.db, preview)
  const from = await findDatabase(store.db, preview.projectId)
  if (!to || !from || to.ready_at !== null) return to
  // An svcd that ended in the middle may have left a copy that is not masked.
  await confirm()
  await server.remove(to.id)
  if (from.preview_data === 'copy') await copyData(platform, server, { from, to, confirm, holder })
  await confirm()
  await server.ensure({ ...openDatabase(platform, to), filledBy: holder })
  const ready_at = clock.now()
  // Nobody gets the password before, and another svcd may have begun to copy again.
  await confirm({ ready_at })
  return { ...to, ready_at }
}

interface Copy extends Right {
  from: AppDatabaseRow
  to: AppDatabaseRow
}

/**
 * A dump is read as the role of production, and restored as that of the preview. So no rights or passwords pass. Until it is masked, the
 * role has a password that no app knows.
 */
async function copyData(
  platform: DatabaseParts,
  server: Databases,
  { from, to, confirm, holder }: Copy,
): Promise<void> {
  const hidden = { ...openDatabase(platform, to), password: newSecret(), filledBy: holder }
  await server.ensure(hidden)
  const late = platform.clock.timeout(copiesWithinMs)
  const dump = new PassThrough()
  // The dump may fail before it is read. Its reader finds the error.
  dump.on('error', () => undefined)
  const dumped = server.dump(openDatabase(platform, from), dump).catch((error: Error) => dump.destroy(error))
  try {
    await fill(platform, server, { row: to, password: hidden.password, dump, withinMs: copiesWithinMs })
    if (from.preview_mask !== null) {
      await mask(server, hidden, from.preview_mask, late)
      // They have values from before, which a role may read.
      await server.forgetStatistics(to.id)
    }
  } catch (cause) {
    await confirm()
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

/** Runs the statements of an admin in the copy, as its role, and takes the statistics of its tables anew. */
async function mask(
  server: Databases,
  database: AppDatabase,
  statements: string,
  late: AbortSignal,
): Promise<void> {
  try {
    const options = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0'
    const { bytes } = await server.signIn(database, { options })
    // The statistics that PostgreSQL may have taken before quote values of the data.
    await runStatements(bytes, [statements, 'analyze'], late)
  } catch (cause) {
    const why =
      cause instanceof StatementFailed
        ? `failed: ${cause.message}`
        : late.aborted && `did not end within ${copiesWithinMs / minuteMs} minutes of the copy's begin`
    throw why ? new Fault('unavailable', `The masking ${why}.`, { cause }) : cause
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

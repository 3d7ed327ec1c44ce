// The PostgreSQL database of a project: create, look at, remove, bring back.
import type { Database, DatabaseQuery, PreviewDatabase, RemovedDatabase } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { newSecret, randomText } from '../../lib/ids.ts'
import type { Databases } from '../../ports/databases/port.ts'
import {
  expireRemovedDatabases,
  findDatabase,
  findRemovedDatabase,
  insertDatabase,
  listPreviewDatabases,
  sumOfConnections,
  updateDatabase,
  updateRemoved,
} from '../../store/databases/databases.ts'
import type { AppDatabaseRow } from '../../store/databases/rows.ts'
import { listEnvRowsOf } from '../../store/env/env.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Db, Tx } from '../../store/store.ts'
import { applyToApps } from '../base/app-restarts.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { DatabaseParts, Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { openDatabase, placeOfDatabase } from './password.ts'

/** How long a removed database can be brought back. */
export const removedKeptMs = 7 * dayMs

/** Only production has the database. */
export const production = [{ environment: 'production', branch: '' }] as const

/** One that was interrupted can be repeated. */
export async function createDatabase(
  platform: DatabaseParts,
  caller: Caller,
  project: ProjectScope,
  { restore = false }: { restore?: boolean | undefined },
): Promise<{ database: Database; warnings: string[]; restarting?: boolean }> {
  const server = await startedServer(platform)
  const { made: row, replaced } = await platform.store.transact(async tx => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const existing = await findDatabase(tx, project.id)
    if (existing?.ready_at === null) return { made: existing }
    if (existing && !restore)
      throw new Fault('name_taken', 'The project has a database already. A project has at most one.')
    if (!existing) await requireRoom(server, tx, platform.databaseLimits.connections)
    const action = restore ? 'database.restore' : 'database.create'
    const made = restore ? await takeBack(tx, project.id) : newRow(platform, project.id)
    if (!restore) await insertDatabase(tx, made)
    if (existing) await setAside(tx, existing, platform.clock.now())
    const previews = previewSettings(existing ?? made)
    if (existing) await updateDatabase(tx, made.id, previews)
    await audit(platform, tx, caller, { action, project, target: made.id })
    return { made: { ...made, ...previews }, replaced: existing }
  })
  if (replaced) await close(platform, replaced.id)
  await server.ensure(openDatabase(platform, row))
  await server.setMode(row.id, 'writable')
  return await platform.store.transact(async (tx, changed) => {
    await updateDatabase(tx, row.id, { ready_at: platform.clock.now(), mode: 'writable' })
    const restarting = await applyToApps(tx, changed, project, production)
    const database = await describeDatabase(tx, { ...row, ready_at: 0, mode: 'writable' })
    const warnings = database.variable === 'own' ? [ownVariable] : []
    return { database, warnings, ...(restarting !== undefined && { restarting }) }
  })
}

/** One that takes the place of another goes on with them, so that what was masked in previews stays masked. */
export const previewSettings = ({ preview_data, preview_mask }: AppDatabaseRow) => ({
  preview_data,
  preview_mask,
})

const ownVariable =
  'The project has a variable DATABASE_URL of its own, which the app goes on to get. Remove that variable to use the new database.'

export async function databaseOf(
  { store }: Pick<Platform, 'store'>,
  project: ProjectScope,
): Promise<{ database: Database | null; removed: RemovedDatabase | null; previews: PreviewDatabase[] }> {
  const row = await findDatabase(store.db, project.id)
  const removed = await findRemovedDatabase(store.db, project.id)
  return {
    database: row ? await describeDatabase(store.db, row) : null,
    removed: removed?.removed_at ? describeRemoved(removed.id, removed.removed_at) : null,
    previews: (await listPreviewDatabases(store.db, project.id)).map(preview => ({
      branch: preview.branch,
      ...describeUse(preview),
    })),
  }
}

/** It counts for databases that are made from now on. */
export async function changeDatabase(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  {
    preview_data,
    preview_mask: mask,
  }: { preview_data: Database['preview_data']; preview_mask?: string | null | undefined },
): Promise<{ database: Database }> {
  return await platform.store.transact(async tx => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const row = await findDatabase(tx, project.id)
    if (!row) throw noDatabase()
    const preview_mask = mask === undefined ? row.preview_mask : mask
    await updateDatabase(tx, row.id, { preview_data, preview_mask })
    if (row.preview_data !== preview_data || row.preview_mask !== preview_mask)
      await audit(platform, tx, caller, {
        action: 'database.update',
        project,
        target: row.id,
        details: { preview_data, masked: preview_mask !== null },
      })
    return { database: await describeDatabase(tx, { ...row, preview_data, preview_mask }) }
  })
}

/** Nobody can connect from now on. `keepDatabases` deletes it when its time is over. */
export async function removeDatabase(
  platform: DatabaseParts,
  caller: Caller,
  project: ProjectScope,
  confirm: string,
): Promise<{ removed: RemovedDatabase; restarting?: boolean }> {
  if (confirm !== project.name)
    throw new Fault('invalid_request', `confirm: must be the name of the project, ${project.name}`)
  const now = platform.clock.now()
  const { id, restarting } = await platform.store.transact(async (tx, changed) => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const row = await findDatabase(tx, project.id)
    if (!row) throw noDatabase()
    await expireRemovedDatabases(tx, project.id)
    await setAside(tx, row, now)
    await audit(platform, tx, caller, { action: 'database.delete', project, target: row.id })
    return { id: row.id, restarting: await applyToApps(tx, changed, project, production) }
  })
  await close(platform, id)
  return { removed: describeRemoved(id, now), ...(restarting !== undefined && { restarting }) }
}

/** It counts as removed. `close` it after the transaction. */
export const setAside = (tx: Tx, { id }: AppDatabaseRow, now: number): Promise<void> =>
  updateDatabase(tx, id, { removed_at: now, ready_at: null })

/** If the server does not answer now, `keepDatabases` closes it. */
export async function close(
  { databases, store }: Rows & Pick<Platform, 'databases'>,
  id: string,
): Promise<void> {
  try {
    await databases?.setMode(id, 'closed')
    await updateDatabase(store.db, id, { mode: 'closed' })
  } catch {
    // The row says that it is removed, and its mode that this has not been done.
  }
}

export async function databaseQueries(
  platform: DatabaseParts,
  project: ProjectScope,
): Promise<{ connections: number; queries: DatabaseQuery[] }> {
  const row = await requireDatabase(platform, project)
  const server = await startedServer(platform)
  const use = (await server.list()).find(({ name }) => name === row.id)
  return { connections: use?.connections ?? 0, queries: await server.queries(row.id) }
}

export async function requireDatabase(
  { store }: Pick<Platform, 'store'>,
  project: ProjectScope,
): Promise<AppDatabaseRow> {
  const row = await findDatabase(store.db, project.id)
  if (!row) throw noDatabase()
  return row
}

export async function startedServer({ databases }: Pick<Platform, 'databases'>): Promise<Databases> {
  if (!databases)
    throw new Fault(
      'unavailable',
      'This platform has no databases for projects. Its operator can install PostgreSQL, or name a server in SVCD_APPS_POSTGRES_URL.',
    )
  try {
    await databases.start()
    return databases
  } catch (cause) {
    throw new Fault(
      'unavailable',
      'The database server does not answer. Its operator finds the reason in the log.',
      {
        cause,
      },
    )
  }
}

/** All databases together never have more connections than the server, so none can take those of another. */
export async function requireRoom(server: Databases, tx: Tx, connections: number): Promise<void> {
  if ((await sumOfConnections(tx)) + connections > server.connectionsAtMost)
    throw new Fault(
      'quota_exceeded',
      'The database server has no connections left for another database. Its operator can raise SVCD_APPS_POSTGRES_CONNECTIONS.',
    )
}

export function newRow(platform: DatabaseParts, projectId: string | null): AppDatabaseRow {
  const id = `svc_${randomText(16)}`
  return {
    ...{ id, project_id: projectId, preview_of: null, branch: '' },
    ...{ preview_data: 'empty', preview_mask: null, filled_by: null, filled_until: null },
    ...platform.keyring.current.seal(newSecret(), placeOfDatabase(id)),
    size_bytes: platform.databaseLimits.sizeBytes,
    connections: platform.databaseLimits.connections,
    mode: 'writable',
    created_at: platform.clock.now(),
    ...{ ready_at: null, removed_at: null, used_bytes: null, seeded_at: null },
  }
}

async function takeBack(tx: Tx, projectId: string): Promise<AppDatabaseRow> {
  const row = await findRemovedDatabase(tx, projectId)
  if (!row?.removed_at || !(await updateRemoved(tx, row, { removed_at: null })))
    throw new Fault('not_found', 'The project has no removed database that is still kept.')
  return row
}

const noDatabase = () => new Fault('not_found', "The project has no database. 'svc db create' makes one.")

export const describeRemoved = (name: string, at: number): RemovedDatabase => ({
  name,
  removed_at: isoTime(at),
  kept_until: isoTime(at + removedKeptMs),
})

export async function describeDatabase(db: Db, row: AppDatabaseRow): Promise<Database> {
  const own = row.project_id ? await listEnvRowsOf(db, row.project_id, 'DATABASE_URL') : []
  const isReplaced = own.some(({ environment, scope }) => environment !== 'preview' && scope !== 'build')
  return {
    ...describeUse(row),
    connections: row.connections,
    ...previewSettings(row),
    variable: isReplaced ? 'own' : 'set',
  }
}

const describeUse = (row: AppDatabaseRow): Omit<PreviewDatabase, 'branch'> => ({
  name: row.id,
  status: row.ready_at === null ? 'creating' : statuses[row.mode],
  size_bytes: row.size_bytes,
  used_bytes: row.used_bytes,
  created_at: isoTime(row.created_at),
})

const statuses = { writable: 'ready', 'read-only': 'read_only', closed: 'closed' } as const

// The databases of previews: each branch of a project that has a database gets one of its own, when its app starts first.
import { limits } from '@svc/contract'
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
import { openDatabase } from './password.ts'

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
  if (!(await findDatabase(store.db, preview.projectId))) return undefined
  const server = await startedServer(platform)
  const row = await store.transact(tx => claimRow(platform, tx, preview, server.connectionsAtMost))
  if (!row) return undefined
  await server.ensure(openDatabase(platform, row))
  await updateDatabase(store.db, row.id, { ready_at: clock.now() })
  return row
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

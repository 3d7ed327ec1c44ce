// The databases of projects. A project has at most one that is in use.
import type { Db, Tx } from '../store.ts'
import type { AppDatabaseRow } from './rows.ts'

export const findDatabase = (db: Db, projectId: string): Promise<AppDatabaseRow | undefined> =>
  db
    .selectFrom('app_databases')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()

/** The one that was removed last. */
export const findRemovedDatabase = (db: Db, projectId: string): Promise<AppDatabaseRow | undefined> =>
  db
    .selectFrom('app_databases')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('removed_at', 'is not', null)
    .orderBy('removed_at', 'desc')
    .limit(1)
    .executeTakeFirst()

export const findPreviewDatabase = (
  db: Db,
  { projectId, branch }: { projectId: string; branch: string },
): Promise<AppDatabaseRow | undefined> =>
  db
    .selectFrom('app_databases')
    .selectAll()
    .where('preview_of', '=', projectId)
    .where('branch', '=', branch)
    .where('removed_at', 'is', null)
    .executeTakeFirst()

export const listPreviewDatabases = (db: Db, projectId: string): Promise<AppDatabaseRow[]> =>
  db.selectFrom('app_databases').selectAll().where('preview_of', '=', projectId).orderBy('branch').execute()

export async function countPreviewDatabases(db: Db, projectId: string): Promise<number> {
  return (await listPreviewDatabases(db, projectId)).length
}

/**
 * Marks the databases of branches without a deployment as removed long ago, and those of projects whose own database is gone. In one
 * statement, so that none is taken from a deployment that has just begun.
 */
export async function expirePreviewDatabases(db: Db, createdBefore: number): Promise<void> {
  await db
    .updateTable('app_databases')
    .set({ removed_at: 0, preview_of: null, ready_at: null })
    .where('branch', '<>', '')
    .where(eb =>
      eb.or([
        // By a node of the version before.
        eb('removed_at', 'is not', null),
        eb.not(
          eb.exists(
            eb
              .selectFrom('app_databases as own')
              .select('own.id')
              .whereRef('own.project_id', '=', 'app_databases.preview_of'),
          ),
        ),
        eb.and([
          eb('created_at', '<', createdBefore),
          eb.not(
            eb.exists(
              eb
                .selectFrom('deployments')
                .select('deployments.id')
                .whereRef('deployments.project_id', '=', 'app_databases.preview_of')
                .whereRef('deployments.git_branch', '=', 'app_databases.branch')
                .where('deployments.status', 'in', ['branch', 'uploading']),
            ),
          ),
        ]),
      ]),
    )
    .execute()
}

export const databaseNamed = (db: Db, id: string): Promise<AppDatabaseRow | undefined> =>
  db.selectFrom('app_databases').selectAll().where('id', '=', id).executeTakeFirst()

export const listDatabases = (db: Db): Promise<AppDatabaseRow[]> =>
  db.selectFrom('app_databases').selectAll().orderBy('created_at').orderBy('id').execute()

export async function hasDatabases(db: Db): Promise<boolean> {
  return (await db.selectFrom('app_databases').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** How many connections all databases in use may have together. */
export async function sumOfConnections(db: Db): Promise<number> {
  const { sum } = await db
    .selectFrom('app_databases')
    .select(eb => eb.fn.sum('connections').as('sum'))
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(sum ?? 0)
}

export async function insertDatabase(tx: Tx, row: AppDatabaseRow): Promise<void> {
  await tx.insertInto('app_databases').values(row).execute()
}

type Change = Partial<
  Pick<
    AppDatabaseRow,
    | 'connections'
    | 'mode'
    | 'preview_data'
    | 'preview_mask'
    | 'project_id'
    | 'ready_at'
    | 'removed_at'
    | 'used_bytes'
  >
>

export async function updateDatabase(db: Db, id: string, change: Change): Promise<void> {
  await db.updateTable('app_databases').set(change).where('id', '=', id).execute()
}

/** Returns false if the removed database was changed since it was read: brought back, or claimed to be deleted. */
export async function updateRemoved(db: Db, seen: AppDatabaseRow, change: Change): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('app_databases')
    .set(change)
    .where('id', '=', seen.id)
    .where('removed_at', '=', seen.removed_at)
    .where('project_id', seen.project_id === null ? 'is' : '=', seen.project_id)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Those that were removed before count as removed since 1970, so that they are deleted next. */
export async function expireRemovedDatabases(tx: Tx, projectId: string): Promise<void> {
  await tx
    .updateTable('app_databases')
    .set({ removed_at: 0 })
    .where('project_id', '=', projectId)
    .where('removed_at', 'is not', null)
    .execute()
}

export async function deleteDatabase(db: Db, id: string): Promise<void> {
  await db.deleteFrom('app_databases').where('id', '=', id).execute()
}

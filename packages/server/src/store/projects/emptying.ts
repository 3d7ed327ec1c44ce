// Deletes the rows of a project that may be many, a few at a time, so that nobody who writes meanwhile waits long. The few that
// are left are deleted with the project's own row.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { discardPacks } from '../deployments/discarded-packs.ts'
import { countedColumns, takeFromTotals } from '../deployments/stored-totals.ts'
import { deletedAtOnce, deleteInBatches } from '../in-batches.ts'
import type { Db, Store } from '../store.ts'
import type { Tables } from '../tables.ts'

interface ManyRows {
  table: keyof Tables
  key: readonly string[]
  /** Default: the rows of the project. */
  of?: (projectId: string) => RawBuilder<unknown>
}

/** In the order in which they are deleted. */
const manyRows: readonly ManyRows[] = [
  { table: 'requests', key: ['project_id', 'created_at', 'id'] },
  { table: 'stats_names', key: ['project_id', 'kind', 'since', 'name'] },
  { table: 'stats_visitors', key: ['project_id', 'day', 'hash'] },
  { table: 'chart_points', key: ['owner', 'step_ms', 'at'], of: id => sql`owner = ${id}` },
  { table: 'submissions', key: ['id'] },
  {
    table: 'build_logs',
    key: ['build_id', 'at'],
    of: id => sql`build_id in (select id from builds where project_id = ${id})`,
  },
  // Entries in an org's log stay.
  { table: 'audit', key: ['id'], of: id => sql`project_id = ${id} and org_id is null` },
]

const deploymentsAtOnce = 500

export async function emptyProject(store: Store, projectId: string, now: number): Promise<void> {
  for (const rows of manyRows) await deleteInBatches(() => deleteSome(store.db, rows, projectId))
  while ((await deleteSomeDeployments(store, projectId, now)) === deploymentsAtOnce);
}

async function deleteSome(db: Db, { table, key, of }: ManyRows, projectId: string) {
  const columns = sql.join(key.map(column => sql.ref(column)))
  const which = of?.(projectId) ?? sql`project_id = ${projectId}`
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where (${columns}) in
    (select ${columns} from ${sql.table(table)} where ${which} limit ${deletedAtOnce})`.execute(db)
  return { numDeletedRows: numAffectedRows }
}

/** Not the live one and those that domains show: other rows refer to them. */
const deleteSomeDeployments = (store: Store, projectId: string, now: number): Promise<number> =>
  store.transact(async tx => {
    const rows = await tx
      .selectFrom('deployments')
      .select(['id', 'status', 'parts_until'])
      .where('project_id', '=', projectId)
      .where(
        sql<SqlBool>`id not in (
          select active_deployment_id from projects where id = ${projectId} and active_deployment_id is not null
          union select deployment_id from domains where project_id = ${projectId} and deployment_id is not null)`,
      )
      .limit(deploymentsAtOnce)
      .execute()
    const withFiles = rows.filter(({ status, parts_until }) => status !== 'failed' || parts_until !== null)
    await discardPacks(
      tx,
      withFiles.map(row => row.id),
      now,
    )
    const ids = rows.map(row => row.id)
    if (ids.length > 0)
      await takeFromTotals(
        tx,
        await tx.deleteFrom('deployments').where('id', 'in', ids).returning(countedColumns).execute(),
      )
    return ids.length
  })

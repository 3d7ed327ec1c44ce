// Environment variables, sealed.
import type { Sealed } from '../lib/seal.ts'
import type { Db, Tx } from './store.ts'
import type { EnvVarRow } from './tables.ts'

export const listEnvRows = (db: Db, projectId: string): Promise<EnvVarRow[]> =>
  db.selectFrom('env_vars').selectAll().where('project_id', '=', projectId).execute()

export const findEnvRow = (db: Db, projectId: string, key: string): Promise<EnvVarRow | undefined> =>
  db
    .selectFrom('env_vars')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst()

export async function countEnv(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom('env_vars')
    .select(eb => eb.fn.countAll().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function saveEnvRow(tx: Tx, row: EnvVarRow): Promise<void> {
  const { project_id, key, ...rest } = row
  await tx
    .insertInto('env_vars')
    .values(row)
    .onConflict(c => c.columns(['project_id', 'key']).doUpdateSet(rest))
    .execute()
}

/** False where there is none. */
export async function deleteEnvRow(tx: Tx, projectId: string, key: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('env_vars')
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst()
  return deleted.numDeletedRows === 1n
}

export type EnvRowOfProject = EnvVarRow & { project_name: string }
export type EnvPosition = Pick<EnvVarRow, 'project_id' | 'key'>

/** All variables of all projects, page by page; with `notSealedBy` only those that another key sealed. */
export async function nextEnvRows(
  db: Db,
  page: { after: EnvPosition | undefined; limit: number; notSealedBy?: string },
): Promise<EnvRowOfProject[]> {
  const { after, limit, notSealedBy } = page
  let query = db
    .selectFrom('env_vars')
    .innerJoin('projects', 'projects.id', 'env_vars.project_id')
    .selectAll('env_vars')
    .select('projects.name as project_name')
  if (after)
    query = query.where(eb =>
      eb.or([
        eb('project_id', '>', after.project_id),
        eb.and([eb('project_id', '=', after.project_id), eb('key', '>', after.key)]),
      ]),
    )
  if (notSealedBy !== undefined) query = query.where('key_id', '<>', notSealedBy)
  return await query.orderBy('project_id').orderBy('key').limit(limit).execute()
}

/** Replaces the seal of a value that is still the one that was read. False where it has changed since. */
export async function replaceSeal(tx: Tx, read: EnvVarRow, sealed: Sealed): Promise<boolean> {
  const updated = await tx
    .updateTable('env_vars')
    .set(sealed)
    .where('project_id', '=', read.project_id)
    .where('key', '=', read.key)
    .where('sealed', '=', read.sealed)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** How many values each key has sealed. */
export async function countByKey(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('env_vars')
    .select(['key_id', eb => eb.fn.countAll().as('count')])
    .groupBy('key_id')
    .orderBy('key_id')
    .execute()
  return new Map(rows.map(row => [row.key_id, Number(row.count)]))
}

// Environment variables, sealed.
import { sql } from 'kysely'
import type { Db, Tx } from '../store.ts'
import type { EnvVarId, EnvVarRow } from '../tables.ts'

export const listEnvRows = (db: Db, projectId: string): Promise<EnvVarRow[]> =>
  db.selectFrom('env_vars').selectAll().where('project_id', '=', projectId).execute()

/** All variables of a key. */
export const listEnvRowsOf = (db: Db, projectId: string, key: string): Promise<EnvVarRow[]> =>
  db.selectFrom('env_vars').selectAll().where('project_id', '=', projectId).where('key', '=', key).execute()

export async function countEnv(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom('env_vars')
    .select(eb => eb.fn.countAll().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Whether a variable is only for one environment or one branch. */
export async function hasTargetedEnv(db: Db, projectId: string): Promise<boolean> {
  const found = await db
    .selectFrom('env_vars')
    .select('key')
    .where('project_id', '=', projectId)
    .where('environment', '<>', 'both')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Of all values of a project, as they are stored. */
export async function sealedLength(db: Db, projectId: string): Promise<number> {
  const { length } = await db
    .selectFrom('env_vars')
    .select(sql<number | null>`sum(length(sealed))`.as('length'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return Number(length ?? 0)
}

export async function saveEnvRow(tx: Tx, row: EnvVarRow): Promise<void> {
  const { project_id, key, environment, branch, ...rest } = row
  await tx
    .insertInto('env_vars')
    .values(row)
    .onConflict(c => c.columns(['project_id', 'key', 'environment', 'branch']).doUpdateSet(rest))
    .execute()
}

/** Returns false if there is none. */
export async function deleteEnvRow(tx: Tx, id: EnvVarId): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('env_vars')
    .where('project_id', '=', id.project_id)
    .where('key', '=', id.key)
    .where('environment', '=', id.environment)
    .where('branch', '=', id.branch)
    .executeTakeFirst()
  return deleted.numDeletedRows === 1n
}

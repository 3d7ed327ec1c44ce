// Environment variables, sealed.
import { sql } from 'kysely'
import type { Db, Tx } from '../store.ts'
import type { EnvVarRow } from '../tables.ts'

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

/** Of all values but one, as they are stored. */
export async function sealedLength(db: Db, projectId: string, exceptKey: string): Promise<number> {
  const { length } = await db
    .selectFrom('env_vars')
    .select(sql<number | null>`sum(length(sealed))`.as('length'))
    .where('project_id', '=', projectId)
    .where('key', '<>', exceptKey)
    .executeTakeFirstOrThrow()
  return Number(length ?? 0)
}

export async function saveEnvRow(tx: Tx, row: EnvVarRow): Promise<void> {
  const { project_id, key, ...rest } = row
  await tx
    .insertInto('env_vars')
    .values(row)
    .onConflict(c => c.columns(['project_id', 'key']).doUpdateSet(rest))
    .execute()
}

/** Returns false if there is none. */
export async function deleteEnvRow(tx: Tx, projectId: string, key: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('env_vars')
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst()
  return deleted.numDeletedRows === 1n
}

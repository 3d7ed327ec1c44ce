// The projects whose production is locked.
import type { Db, Tx } from '../store.ts'
import type { ProductionLockRow } from '../tables.ts'

type ProductionLockWithLogin = ProductionLockRow & { locked_by_login: string | null }

export const findProductionLock = (db: Db, projectId: string): Promise<ProductionLockWithLogin | undefined> =>
  db
    .selectFrom('production_locks')
    .leftJoin('accounts', 'accounts.id', 'production_locks.locked_by')
    .selectAll('production_locks')
    .select('accounts.login as locked_by_login')
    .where('project_id', '=', projectId)
    .executeTakeFirst()

/** Returns false if it was locked before. */
export async function insertProductionLock(tx: Tx, row: ProductionLockRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('production_locks')
    .values(row)
    .onConflict(c => c.column('project_id').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/** Returns false if there was none. */
export async function deleteProductionLock(tx: Tx, projectId: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('production_locks')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return deleted.numDeletedRows === 1n
}

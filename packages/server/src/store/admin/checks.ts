// What the checks of the operator area found the last time.
import type { Db, Tx } from '../store.ts'
import type { CheckResultRow } from '../tables.ts'

export const listCheckResults = (db: Db): Promise<CheckResultRow[]> =>
  db.selectFrom('check_results').selectAll().orderBy('name').execute()

/** Replaces all of them, so that a check that there is no more is not shown. */
export async function replaceCheckResults(tx: Tx, rows: readonly CheckResultRow[]): Promise<void> {
  await tx.deleteFrom('check_results').execute()
  await tx.insertInto('check_results').values(rows).execute()
}

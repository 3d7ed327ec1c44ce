// One svcd at a time fills or replaces a database. A svcd that ends without a word loses it after a while.
import type { Db } from '../store.ts'

/** Returns false if another one has it. */
export async function claimFilling(
  db: Db,
  id: string,
  claim: { holder: string; now: number; until: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('app_databases')
    .set({ filled_by: claim.holder, filled_until: claim.until })
    .where('id', '=', id)
    .where(eb => eb.or([eb('filled_until', 'is', null), eb('filled_until', '<', claim.now)]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export interface Filled {
  /** When it was complete. */
  ready_at?: number
}

/** Returns false if another one has taken it over. */
export async function extendFilling(
  db: Db,
  id: string,
  holder: string,
  { until, ...filled }: { until: number } & Filled,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('app_databases')
    .set({ filled_until: until, ...filled })
    .where('id', '=', id)
    .where('filled_by', '=', holder)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function endFilling(db: Db, id: string, holder: string): Promise<void> {
  await db
    .updateTable('app_databases')
    .set({ filled_by: null, filled_until: null })
    .where('id', '=', id)
    .where('filled_by', '=', holder)
    .execute()
}

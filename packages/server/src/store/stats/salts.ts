// The salt of a day's visitors.
import type { Db } from '../store.ts'
import type { StatsSaltRow } from '../tables.ts'

/** Changes nothing where the day has one. */
export async function insertSalt(db: Db, row: StatsSaltRow): Promise<void> {
  await db
    .insertInto('stats_salts')
    .values(row)
    .onConflict(c => c.column('day').doNothing())
    .execute()
}

export async function readSalt(db: Db, day: number): Promise<string> {
  const row = await db
    .selectFrom('stats_salts')
    .select('salt')
    .where('day', '=', day)
    .executeTakeFirstOrThrow()
  return row.salt
}

export async function deleteOldSalts(db: Db, before: number): Promise<void> {
  await db.deleteFrom('stats_salts').where('day', '<', before).execute()
}

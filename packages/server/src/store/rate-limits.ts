// Counters of limited requests, shared by all nodes. A window begins with its first request.
import { sql } from 'kysely'
import type { Db } from './store.ts'

export async function countRequest(
  db: Db,
  key: string,
  now: number,
  windowMs: number,
): Promise<{ count: number; window_start: number }> {
  const ended = sql<boolean>`rate_limits.window_start + ${sql.lit(windowMs)} <= excluded.window_start`
  return await db
    .insertInto('rate_limits')
    .values({ key, window_start: now, count: 1 })
    .onConflict(c =>
      c.column('key').doUpdateSet({
        count: sql<number>`case when ${ended} then 1 else rate_limits.count + 1 end`,
        window_start: sql<number>`case when ${ended} then excluded.window_start else rate_limits.window_start end`,
      }),
    )
    .returning(['count', 'window_start'])
    .executeTakeFirstOrThrow()
}

/** Takes one request off the count. */
export async function uncountRequest(db: Db, key: string): Promise<void> {
  await db
    .updateTable('rate_limits')
    .set(eb => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute()
}

export async function deleteOldWindows(db: Db, before: number): Promise<void> {
  await db.deleteFrom('rate_limits').where('window_start', '<', before).execute()
}

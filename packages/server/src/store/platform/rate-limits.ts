// Counters of limited requests, shared by all nodes. A window begins with its first request.
import { sql } from 'kysely'
import { deletedAtOnce, deleteInBatches } from '../in-batches.ts'
import type { Db } from '../store.ts'

/** Adds to the count of the window, which begins anew when it is over. */
export async function countRequest(
  db: Db,
  key: string,
  now: number,
  windowMs: number,
  by = 1,
): Promise<{ count: number; window_start: number }> {
  const ended = sql<boolean>`rate_limits.window_start + ${sql.lit(windowMs)} <= excluded.window_start`
  return await db
    .insertInto('rate_limits')
    .values({ key, window_start: now, count: by })
    .onConflict(c =>
      c.column('key').doUpdateSet({
        count: sql<number>`case when ${ended} then excluded.count else rate_limits.count + excluded.count end`,
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
  await deleteInBatches(() =>
    db
      .deleteFrom('rate_limits')
      .where('key', 'in', eb =>
        eb.selectFrom('rate_limits').select('key').where('window_start', '<', before).limit(deletedAtOnce),
      )
      // A window may have begun anew meanwhile.
      .where('window_start', '<', before)
      .executeTakeFirst(),
  )
}

// How each step of the sweep went the last time.
import { sql } from 'kysely'
import type { Db } from '../store.ts'
import type { SweepStepRow } from '../tables.ts'

export const listSweepSteps = (db: Db): Promise<SweepStepRow[]> =>
  db.selectFrom('sweep_steps').selectAll().orderBy('name').execute()

/** A step that failed keeps the time of its last success. */
export async function recordSweep(db: Db, rows: readonly SweepStepRow[]): Promise<void> {
  await db
    .insertInto('sweep_steps')
    .values(rows)
    .onConflict(c =>
      c.column('name').doUpdateSet(eb => ({
        ran_at: eb.ref('excluded.ran_at'),
        took_ms: eb.ref('excluded.took_ms'),
        error: eb.ref('excluded.error'),
        succeeded_at: sql<number>`coalesce(excluded.succeeded_at, sweep_steps.succeeded_at)`,
      })),
    )
    .execute()
}

/** Steps that only an older version had. */
export async function deleteOldSteps(db: Db, before: number): Promise<void> {
  await db.deleteFrom('sweep_steps').where('ran_at', '<', before).execute()
}

// The processes of svcd that share a PostgreSQL database. Each writes its row at intervals, by the clock of the database.
import { sql } from 'kysely'
import type { Db } from '../store.ts'
import type { NodeRow } from '../tables.ts'

/** A process that has not written its row for this long is gone. */
const goneMs = 15_000
/** Rows of processes that were killed are removed after this. */
const forgottenMs = 60 * 60_000

const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

export async function recordNode(db: Db, node: Omit<NodeRow, 'started_at' | 'seen_at'>): Promise<void> {
  await db
    .insertInto('nodes')
    .values({ ...node, started_at: databaseNow, seen_at: databaseNow })
    .onConflict(c => c.column('id').doUpdateSet({ seen_at: databaseNow }))
    .execute()
}

export const listLivingNodes = (db: Db): Promise<NodeRow[]> =>
  db
    .selectFrom('nodes')
    .selectAll()
    .where('seen_at', '>', sql<number>`${databaseNow} - ${sql.lit(goneMs)}`)
    .orderBy('started_at')
    .orderBy('id')
    .execute()

/** Removes the row of this process, and those of processes that were killed long ago. */
export async function forgetNode(db: Db, id: string): Promise<void> {
  await db
    .deleteFrom('nodes')
    .where(eb =>
      eb.or([eb('id', '=', id), eb('seen_at', '<', sql<number>`${databaseNow} - ${sql.lit(forgottenMs)}`)]),
    )
    .execute()
}

/** How long ago the slowest of all processes confirmed that it has all changes. Processes of which nothing was heard for a minute are gone. */
export async function slowestFollowerMs(db: Db): Promise<number> {
  const age = sql<number>`max(${databaseNow} - seen_at)`
  const { slowest } = await db
    .selectFrom('feed_followers')
    .select(age.as('slowest'))
    .where('seen_at', '>', sql<number>`${databaseNow} - 60000`)
    .executeTakeFirstOrThrow()
  return Math.max(0, Number(slowest ?? 0))
}

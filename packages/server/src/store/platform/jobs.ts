// The job queue. Workers claim rows for a limited time, so that another worker can take over after a crash.
import { newId } from '../../lib/ids.ts'
import type { Db } from '../store.ts'
import type { JobRow } from '../tables.ts'

/** Queues a job; one that waits already for the same key stays as it is. */
export async function enqueue(
  db: Db,
  job: { kind: string; key: string; runAt: number; now: number },
): Promise<void> {
  await db
    .insertInto('jobs')
    .values({
      id: newId('job'),
      kind: job.kind,
      key: job.key,
      run_at: job.runAt,
      attempts: 0,
      claimed_until: null,
      created_at: job.now,
    })
    .onConflict(c => c.columns(['kind', 'key']).doNothing())
    .execute()
}

/** Takes the next due job, if there is one: a compare and swap, so that one worker gets it. */
export async function claim(db: Db, now: number, claimedUntil: number): Promise<JobRow | undefined> {
  const due = await db
    .selectFrom('jobs')
    .selectAll()
    .where('run_at', '<=', now)
    .where(eb => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', now)]))
    .orderBy('run_at')
    .limit(1)
    .executeTakeFirst()
  if (!due) return undefined
  const claimed = await db
    .updateTable('jobs')
    .set({ claimed_until: claimedUntil, attempts: due.attempts + 1 })
    .where('id', '=', due.id)
    .where('attempts', '=', due.attempts)
    .executeTakeFirst()
  return claimed.numUpdatedRows === 1n ? { ...due, attempts: due.attempts + 1 } : undefined
}

export async function finish(db: Db, id: string): Promise<void> {
  await db.deleteFrom('jobs').where('id', '=', id).execute()
}

/** The job succeeded and runs again at the given time. */
export async function repeatAt(db: Db, id: string, runAt: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ run_at: runAt, claimed_until: null, attempts: 0 })
    .where('id', '=', id)
    .execute()
}

export async function retryAt(db: Db, id: string, runAt: number): Promise<void> {
  await db.updateTable('jobs').set({ run_at: runAt, claimed_until: null }).where('id', '=', id).execute()
}

export async function countJobs(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('jobs')
    .select(eb => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

// The job queue. Workers claim rows for a limited time, so that another worker can take over after a crash.
import { newId } from '../../lib/ids.ts'
import type { Db } from '../store.ts'
import type { JobRow } from '../tables.ts'

/** Queues a job. One that waits already for the same key stays as it is; one that was given up begins again. */
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
    .onConflict(c =>
      c
        .columns(['kind', 'key'])
        .doUpdateSet({ run_at: job.runAt, attempts: 0, claimed_until: null, failed_at: null })
        .where('jobs.failed_at', 'is not', null),
    )
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
    .set({ run_at: runAt, claimed_until: null, attempts: 0, error: null })
    .where('id', '=', id)
    .execute()
}

/** `error` says why the job failed. Without one it was interrupted. */
export async function retryAt(db: Db, id: string, runAt: number, error?: string): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ run_at: runAt, claimed_until: null, ...(error !== undefined && { error }) })
    .where('id', '=', id)
    .execute()
}

/** A time that never comes. Servers of versions that do not know `failed_at` leave the job alone, too. */
const never = 8_640_000_000_000_000

/** Keeps a job that failed too often, so that the operator sees it. */
export async function giveUp(db: Db, id: string, at: number, error: string): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ failed_at: at, run_at: never, claimed_until: null, error })
    .where('id', '=', id)
    .execute()
}

export async function deleteFailedJobs(db: Db, before: number): Promise<void> {
  await db.deleteFrom('jobs').where('failed_at', '<', before).execute()
}

/** Jobs that are not done and not given up. */
export async function countJobs(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('jobs')
    .where('failed_at', 'is', null)
    .select(eb => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

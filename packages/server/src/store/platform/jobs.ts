// The job queue. Workers claim rows for a limited time, so that another worker can take over after a crash.
import { newId } from '../../lib/ids.ts'
import type { Db } from '../store.ts'
import type { JobRow } from '../tables.ts'

interface NewJob {
  kind: string
  key: string
  payload: string
  runAt: number
  now: number
}

/** Queues a job. One that waits already for the same key stays as it is; one that was given up begins again. */
export async function insertJob(db: Db, { kind, key, payload, runAt, now }: NewJob): Promise<void> {
  const fresh = { payload, run_at: runAt, attempts: 0, claimed_until: null }
  await db
    .insertInto('jobs')
    .values({ id: newId('job'), kind, key, ...fresh, created_at: now })
    .onConflict(c =>
      c
        .columns(['kind', 'key'])
        .doUpdateSet({ ...fresh, failed_at: null, not_understood_by: null })
        .where('jobs.failed_at', 'is not', null),
    )
    .execute()
}

interface Claim {
  kinds: readonly string[]
  /** Jobs that a worker with this fingerprint could not read are left to others. */
  fingerprint: string
  now: number
  claimedUntil: number
}

/** Takes the next due job, if there is one: a compare and swap, so that one worker gets it. */
export async function claim(db: Db, wanted: Claim): Promise<JobRow | undefined> {
  for (;;) {
    const due = await firstDue(db, wanted)
    if (!due) return undefined
    const attempts = due.attempts + 1
    const claimed = await db
      .updateTable('jobs')
      .set({ claimed_until: wanted.claimedUntil, attempts })
      .where('id', '=', due.id)
      .where('attempts', '=', due.attempts)
      .executeTakeFirst()
    if (claimed.numUpdatedRows === 1n) return { ...due, attempts }
  }
}

const firstDue = (db: Db, { kinds, fingerprint, now }: Claim): Promise<JobRow | undefined> =>
  db
    .selectFrom('jobs')
    .selectAll()
    .where('run_at', '<=', now)
    .where('kind', 'in', kinds)
    .where(eb => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', now)]))
    .where(eb =>
      eb.or([eb('not_understood_by', 'is', null), eb('not_understood_by', 'not like', `%${fingerprint} %`)]),
    )
    .orderBy('run_at')
    .limit(1)
    .executeTakeFirst()

/** Gives back a job that this worker cannot read, as if it had never been claimed. */
export async function leaveToOthers(db: Db, job: JobRow, fingerprint: string, error: string): Promise<void> {
  await db
    .updateTable('jobs')
    .set({
      claimed_until: null,
      attempts: job.attempts - 1,
      not_understood_by: `${job.not_understood_by ?? ''}${fingerprint} `,
      error,
    })
    .where('id', '=', job.id)
    .execute()
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

// Single background jobs, for the operator.
import { type PageRequest, pageOf } from '../../lib/page.ts'
import { olderThan } from '../pages.ts'
import type { Db, Tx } from '../store.ts'
import type { JobRow } from '../tables.ts'

/** Newest first. */
export async function listJobs(db: Db, page: PageRequest) {
  const rows = await db
    .selectFrom('jobs')
    .selectAll()
    .where(olderThan('jobs', page))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}

/** Locks the row, so that no worker claims the job before the transaction ends. */
export async function lockJob(tx: Tx, id: string): Promise<JobRow | undefined> {
  return await tx
    .updateTable('jobs')
    .set(eb => ({ attempts: eb.ref('attempts') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** The job runs as soon as a worker is free. */
export async function restartJob(tx: Tx, id: string, now: number): Promise<JobRow> {
  return await tx
    .updateTable('jobs')
    .set({ run_at: now, attempts: 0, claimed_until: null, failed_at: null, not_understood_by: null })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

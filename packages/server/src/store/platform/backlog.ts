// What waits, and for how long: for the metrics.
import type { Db } from '../store.ts'

/** Jobs that are due and not done: when the oldest was to run. And how many were given up. */
export async function jobBacklog(
  db: Db,
  now: number,
): Promise<{ oldestRunAt: number | undefined; givenUp: number }> {
  const due = await db
    .selectFrom('jobs')
    .select(eb => eb.fn.min('run_at').as('oldest'))
    .where('failed_at', 'is', null)
    .where('run_at', '<=', now)
    .executeTakeFirstOrThrow()
  const failed = await db
    .selectFrom('jobs')
    .select(eb => eb.fn.countAll().as('count'))
    .where('failed_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return { oldestRunAt: due.oldest === null ? undefined : Number(due.oldest), givenUp: Number(failed.count) }
}

const unfinished = ['queued', 'building'] as const

/** Builds that have not ended, by status, with the time when the oldest of them was queued. */
export async function buildBacklog(
  db: Db,
): Promise<{ status: string; count: number; oldest: number | undefined }[]> {
  const rows = await db
    .selectFrom('builds')
    .select(eb => ['status', eb.fn.countAll().as('count'), eb.fn.min('created_at').as('oldest')])
    .where('status', 'in', unfinished)
    .groupBy('status')
    .execute()
  return unfinished.map(status => {
    const row = rows.find(each => each.status === status)
    return { status, count: Number(row?.count ?? 0), oldest: row && Number(row.oldest) }
  })
}

/** Certificates that svcd renews: how many have failed at least once, and when the first of them expires. */
export async function certificateBacklog(
  db: Db,
): Promise<{ count: number; failing: number; soonestEnd: number | undefined }> {
  const row = await db
    .selectFrom('certificates')
    .select(eb => [
      eb.fn.countAll().as('count'),
      eb.fn.countAll().filterWhere('failures', '>', 0).as('failing'),
      eb.fn.min('expires_at').as('soonest'),
    ])
    .where('on_demand', '=', 0)
    .executeTakeFirstOrThrow()
  const { count, failing, soonest } = row
  return {
    count: Number(count),
    failing: Number(failing),
    soonestEnd: soonest === null ? undefined : Number(soonest),
  }
}

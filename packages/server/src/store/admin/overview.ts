// Counts over the whole platform, for its operator.
import { sql } from 'kysely'
import type { Db } from '../store.ts'

const number = (value: unknown): number => Number(value ?? 0)
const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value))

export async function countAccounts(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('accounts')
    .select(eb => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return number(count)
}

/** Builds that wait, that run, and that failed since the given time. */
export async function buildQueue(db: Db, failedSince: number) {
  const rows = await db
    .selectFrom('builds')
    .select(eb => ['status', eb.fn.countAll().as('count'), eb.fn.min('created_at').as('oldest')])
    .where(eb =>
      eb.or([
        eb('status', 'in', ['queued', 'building']),
        eb.and([eb('status', '=', 'failed'), eb('created_at', '>', failedSince)]),
      ]),
    )
    .groupBy('status')
    .execute()
  const of = (status: string) => rows.find(row => row.status === status)
  return {
    queued: number(of('queued')?.count),
    building: number(of('building')?.count),
    failed: number(of('failed')?.count),
    oldestQueuedAt: numberOrNull(of('queued')?.oldest ?? null),
  }
}

/** What the workers of this version can do. */
interface Understood {
  kinds: readonly string[]
  fingerprint: string
}

/**
 * The jobs of each kind: claimed ones run, the others wait, were given up, or wait for a newer version. `dueSince` is null if
 * none is due.
 */
export async function jobQueue(db: Db, now: number, { kinds, fingerprint }: Understood) {
  const claimed = sql`(claimed_until is not null and claimed_until > ${now})`
  const foreign = sql`(kind not in (${sql.join(kinds)}) or coalesce(not_understood_by, '') like ${`%${fingerprint} %`})`
  const other = sql`(${claimed} or failed_at is not null or ${foreign})`
  const rows = await db
    .selectFrom('jobs')
    .select('kind')
    .select([
      sql`sum(case when ${claimed} then 1 else 0 end)`.as('running'),
      sql`sum(case when ${other} then 0 else 1 end)`.as('waiting'),
      sql`sum(case when ${other} or attempts = 0 then 0 else 1 end)`.as('retrying'),
      sql`sum(case when ${claimed} or failed_at is not null then 0 when ${foreign} then 1 else 0 end)`.as(
        'not_understood',
      ),
      sql`sum(case when failed_at is null then 0 else 1 end)`.as('failed'),
      sql`min(case when ${other} or run_at > ${now} then null else run_at end)`.as('due_since'),
    ])
    .groupBy('kind')
    .orderBy('kind')
    .execute()
  return rows.map(row => ({
    kind: row.kind,
    running: number(row.running),
    waiting: number(row.waiting),
    retrying: number(row.retrying),
    failed: number(row.failed),
    notUnderstood: number(row.not_understood),
    dueSince: numberOrNull(row.due_since),
  }))
}

/** Instances of server apps that have not ended, and their memory as last measured. */
export async function appMemory(db: Db): Promise<{ count: number; bytes: number }> {
  const { count, bytes } = await db
    .selectFrom('app_instances')
    .select(eb => [eb.fn.countAll().as('count'), eb.fn.sum('memory_bytes').as('bytes')])
    .where('state', '<>', 'ended')
    .executeTakeFirstOrThrow()
  return { count: number(count), bytes: number(bytes) }
}

export async function countCertificates(db: Db): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('certificates')
    .select(eb => ['state', eb.fn.countAll().as('count')])
    .groupBy('state')
    .execute()
  return Object.fromEntries(rows.map(({ state, count }) => [state, number(count)]))
}

// What an owner used since a time: bandwidth from the edge's rollups, minutes of builds.
import { sql } from 'kysely'
import type { Span } from '../stats/reading.ts'
import type { Db } from '../store.ts'
import { type Owner, projectsOf } from '../usage.ts'

/** Bytes by the start of each day that had traffic. */
export async function bandwidthByDay(db: Db, owner: Owner, { from, to }: Span): Promise<Map<number, number>> {
  // A literal, since PostgreSQL takes two parameters of one value for two expressions.
  const day = sql<number>`stats_hours.hour - stats_hours.hour % 86400000`
  const rows = await projectsOf(db, owner)
    .innerJoin('stats_hours', 'stats_hours.project_id', 'projects.id')
    .select(eb => [day.as('day'), eb.fn.sum<number | string>('stats_hours.bytes').as('bytes')])
    .where('stats_hours.hour', '>=', from)
    .where('stats_hours.hour', '<', to)
    .groupBy(day)
    .execute()
  return new Map(rows.map(row => [Number(row.day), Number(row.bytes)]))
}

/** Owners who sent more than `bytes` since then. */
export async function heavyOwners(
  db: Db,
  since: number,
  bytes: number,
): Promise<{ ownerId: string; bytes: number }[]> {
  const sum = sql<number | string>`sum(stats_hours.bytes)`
  const rows = await db
    .selectFrom('stats_hours')
    .innerJoin('projects', 'projects.id', 'stats_hours.project_id')
    .select(['projects.account_id', 'projects.org_id', sum.as('bytes')])
    .where('stats_hours.hour', '>=', since)
    .groupBy(['projects.account_id', 'projects.org_id'])
    .having(sum, '>=', bytes)
    .execute()
  return rows.map(row => ({ ownerId: row.org_id ?? row.account_id ?? '', bytes: Number(row.bytes) }))
}

/** Of builds that began since then; those that run count up to now. */
export async function buildMs(db: Db, owner: Owner, since: number, now: number): Promise<number> {
  const { ms } = await projectsOf(db, owner)
    .innerJoin('builds', 'builds.project_id', 'projects.id')
    .select(
      sql<number | string | null>`sum(coalesce(builds.finished_at, ${now}) - builds.started_at)`.as('ms'),
    )
    .where('builds.started_at', '>=', since)
    .executeTakeFirstOrThrow()
  return Number(ms ?? 0)
}

/** Projects whose live deployment is a server app. */
export async function countServerApps(db: Db, owner: Owner): Promise<number> {
  const { count } = await projectsOf(db, owner)
    .innerJoin('deployments', 'deployments.id', 'projects.active_deployment_id')
    .select(eb => eb.fn.countAll().as('count'))
    .where('deployments.kind', '=', 'server')
    .where('projects.expires_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

// What an owner used since a time: bandwidth from the edge's rollups, minutes of builds.
import { dayMs } from '@svc/contract/durations'
import { sql } from 'kysely'
import type { Span } from '../stats/reading.ts'
import type { Db, Tx } from '../store.ts'
import { type Owner, ownerId, projectsOf } from './plan-usage.ts'

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
  const days = new Map(rows.map(row => [Number(row.day), Number(row.bytes)]))
  const deleted = await db
    .selectFrom('deleted_usage')
    .select(['day', 'bytes'])
    .where('owner_id', '=', ownerId(owner))
    .where('day', '>=', from)
    .where('day', '<', to)
    .execute()
  for (const row of deleted) add(days, Number(row.day), Number(row.bytes))
  return days
}

const add = (sums: Map<number, number>, key: number, more: number): void =>
  void sums.set(key, (sums.get(key) ?? 0) + more)

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
  const deleted = await db
    .selectFrom('deleted_usage')
    .select(eb => eb.fn.sum<number | string | null>('build_ms').as('ms'))
    .where('owner_id', '=', ownerId(owner))
    .where('day', '>=', since)
    .executeTakeFirstOrThrow()
  return Number(ms ?? 0) + Number(deleted.ms ?? 0)
}

/** Before a project is deleted: what it used in the last weeks still counts for its owner. */
export async function keepUsage(tx: Tx, project: Owner & { id: string }, now: number): Promise<void> {
  const since = now - usageKeptMs
  const traffic = await tx
    .selectFrom('stats_hours')
    .select(['hour', 'bytes'])
    .where('project_id', '=', project.id)
    .where('hour', '>=', since)
    .execute()
  const built = await tx
    .selectFrom('builds')
    .select(['started_at', 'finished_at'])
    .where('project_id', '=', project.id)
    .where('started_at', '>=', since)
    .execute()
  const [bytes, buildMs] = [new Map<number, number>(), new Map<number, number>()]
  const dayOf = (time: number) => time - (time % dayMs)
  for (const row of traffic) add(bytes, dayOf(Number(row.hour)), Number(row.bytes))
  for (const { started_at, finished_at } of built)
    if (started_at !== null) add(buildMs, dayOf(started_at), (finished_at ?? now) - started_at)
  for (const day of new Set([...bytes.keys(), ...buildMs.keys()]))
    await tx
      .insertInto('deleted_usage')
      .values({
        ...{ owner_id: ownerId(project), day },
        ...{ bytes: bytes.get(day) ?? 0, build_ms: buildMs.get(day) ?? 0 },
      })
      .onConflict(conflict =>
        conflict.columns(['owner_id', 'day']).doUpdateSet({
          bytes: sql<number>`deleted_usage.bytes + excluded.bytes`,
          build_ms: sql<number>`deleted_usage.build_ms + excluded.build_ms`,
        }),
      )
      .execute()
}

/** How long usage counts: longer than any month. */
export const usageKeptMs = 32 * dayMs

export async function forgetDeletedUsage(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('deleted_usage')
    .where('day', '<', now - usageKeptMs)
    .execute()
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

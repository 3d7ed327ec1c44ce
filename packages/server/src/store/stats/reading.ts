// Reading the stats.
import { sql } from 'kysely'
import type { Db } from '../store.ts'
import type { StatsHourRow, StatsNameRow } from '../tables.ts'

/** From `from` up to, not including, `to`. */
export interface Span {
  from: number
  to: number
}

export const hoursOf = (db: Db, projectId: string, { from, to }: Span): Promise<StatsHourRow[]> =>
  db
    .selectFrom('stats_hours')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .orderBy('hour')
    .execute()

type DayCount = Pick<StatsHourRow, 'requests' | 'bytes' | 'cache_hits' | 'pageviews' | 'visitors'>

/** Days without a row had no traffic. */
export async function daysOf(db: Db, projectId: string, { from, to }: Span): Promise<Map<number, DayCount>> {
  // A literal, since PostgreSQL takes two parameters of one value for two expressions.
  const day = sql<number>`hour - hour % 86400000`
  const rows = await db
    .selectFrom('stats_hours')
    .select(eb => [
      day.as('day'),
      eb.fn.sum<number | string>('requests').as('requests'),
      eb.fn.sum<number | string>('bytes').as('bytes'),
      eb.fn.sum<number | string>('cache_hits').as('cache_hits'),
      eb.fn.sum<number | string>('pageviews').as('pageviews'),
      eb.fn.sum<number | string>('visitors').as('visitors'),
    ])
    .where('project_id', '=', projectId)
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .groupBy(day)
    .execute()
  return new Map(
    rows.map(row => [
      Number(row.day),
      {
        requests: Number(row.requests),
        bytes: Number(row.bytes),
        cache_hits: Number(row.cache_hits),
        pageviews: Number(row.pageviews),
        visitors: Number(row.visitors),
      },
    ]),
  )
}

interface NameCount {
  name: string
  requests: number
  bytes: number
}

/** The names that were asked for most; among equals in the order of the alphabet. */
export async function topNames(
  db: Db,
  projectId: string,
  kind: StatsNameRow['kind'],
  { from, to }: Span,
  limit: number,
): Promise<NameCount[]> {
  const rows = await db
    .selectFrom('stats_names')
    .select(eb => [
      'name',
      eb.fn.sum<number | string>('requests').as('requests'),
      eb.fn.sum<number | string>('bytes').as('bytes'),
    ])
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .where('since', '>=', from)
    .where('since', '<', to)
    .groupBy('name')
    .orderBy('requests', 'desc')
    .orderBy('name')
    .limit(limit)
    .execute()
  return rows.map(row => ({ name: row.name, requests: Number(row.requests), bytes: Number(row.bytes) }))
}

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

export const counted = [
  'requests',
  'bytes',
  'cache_hits',
  'status_2xx',
  'status_3xx',
  'status_4xx',
  'status_5xx',
  'status_other',
  'pageviews',
  'visitors',
] as const

export type Counted = Record<(typeof counted)[number], number>

/** The sums of each hour or day, by its start. Without an entry, there was no traffic. */
export async function sumsOf(
  db: Db,
  projectId: string,
  { from, to }: Span,
  per: 'hour' | 'day',
): Promise<Map<number, Counted>> {
  // A literal, since PostgreSQL takes two parameters of one value for two expressions.
  const start = per === 'hour' ? sql<number>`hour` : sql<number>`hour - hour % 86400000`
  const rows = await db
    .selectFrom('stats_hours')
    .select(eb => [
      start.as('start'),
      ...counted.map(column => eb.fn.sum<number | string>(column).as(column)),
    ])
    .where('project_id', '=', projectId)
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .groupBy(start)
    .execute()
  return new Map(
    rows.map(row => [
      Number(row.start),
      Object.fromEntries(counted.map(column => [column, Number(row[column])])) as Counted,
    ]),
  )
}

/** The names of one kind by hour or day, as they were counted. */
export const namesOf = (
  db: Db,
  projectId: string,
  kind: StatsNameRow['kind'],
  { from, to }: Span,
): Promise<Pick<StatsNameRow, 'since' | 'name' | 'requests'>[]> =>
  db
    .selectFrom('stats_names')
    .select(['since', 'name', 'requests'])
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .where('since', '>=', from)
    .where('since', '<', to)
    .execute()

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

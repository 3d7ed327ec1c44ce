// Writing the stats: counts are added to what is there.
import { limits } from '@svc/contract'
import { sql } from 'kysely'
import type { Db, Tx } from '../store.ts'
import type { StatsHourRow, StatsNameRow, StatsVisitorRow } from '../tables.ts'

/** Rows to be added. */
export interface Counts {
  hours: StatsHourRow[]
  names: StatsNameRow[]
  /** With the hour in which they came. */
  visitors: (StatsVisitorRow & { hour: number })[]
}

/** One list of names. */
export type NameList = Pick<StatsNameRow, 'project_id' | 'kind' | 'since'>

/** Rows of one statement. */
const atOnce = 50

export const emptyHour = (project_id: string, hour: number): StatsHourRow => ({
  project_id,
  hour,
  requests: 0,
  bytes: 0,
  cache_hits: 0,
  status_2xx: 0,
  status_3xx: 0,
  status_4xx: 0,
  status_5xx: 0,
  status_other: 0,
  pageviews: 0,
  visitors: 0,
  lost: 0,
})

/**
 * Counts of projects that are gone are left out. Every node writes rows in the order of their keys, so that no two ever wait
 * for each other.
 */
export async function writeCounts(tx: Tx, counts: Counts): Promise<void> {
  const rows = [...counts.hours, ...counts.names, ...counts.visitors]
  const there = await existingProjects(tx, new Set(rows.map(row => row.project_id)))
  const projectExists = (row: { project_id: string }) => there.has(row.project_id)
  const visitors = counts.visitors.filter(projectExists).sort(inOrderOf('project_id', 'day', 'hash'))
  const hours = await withVisitors(tx, counts.hours.filter(projectExists), visitors)
  const names = counts.names.filter(projectExists).sort(inOrderOf('project_id', 'kind', 'since', 'name'))
  for (const values of portions(hours)) await addHours(tx, values)
  for (const values of portions(names)) await addNames(tx, values)
}

export const inOrderOf =
  <K extends string>(...columns: K[]) =>
  (a: Record<K, string | number>, b: Record<K, string | number>): number => {
    const column = columns.find(name => a[name] !== b[name])
    return column === undefined ? 0 : a[column] < b[column] ? -1 : 1
  }

export async function existingProjects(tx: Tx, ids: ReadonlySet<string>): Promise<Set<string>> {
  const found = await tx
    .selectFrom('projects')
    .select('id')
    .where('id', 'in', [...ids])
    .execute()
  return new Set(found.map(row => row.id))
}

/** The hours with their new visitors: those whom nobody has seen that day, on whichever edge. */
async function withVisitors(
  tx: Tx,
  hours: StatsHourRow[],
  visitors: Counts['visitors'],
): Promise<StatsHourRow[]> {
  const all = new Map(hours.map(row => [keyOf(row), { ...row }]))
  const groups = new Map<string, Counts['visitors']>()
  for (const visitor of visitors) {
    const group = groups.get(keyOf(visitor))
    if (group) group.push(visitor)
    else groups.set(keyOf(visitor), [visitor])
  }
  for (const [key, group] of groups) {
    const { project_id, hour } = group[0]!
    const row = all.get(key) ?? emptyHour(project_id, hour)
    all.set(key, row)
    for (const part of portions(group)) row.visitors += await insertVisitors(tx, part)
  }
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

const keyOf = ({ project_id, hour }: { project_id: string; hour: number }): string => `${project_id} ${hour}`

/** How many of them are new. */
async function insertVisitors(tx: Tx, visitors: Counts['visitors']): Promise<number> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('stats_visitors')
    .values(visitors.map(({ project_id, day, hash }) => ({ project_id, day, hash })))
    .onConflict(c => c.doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows ?? 0)
}

async function addHours(tx: Tx, rows: StatsHourRow[]): Promise<void> {
  await tx
    .insertInto('stats_hours')
    .values(rows)
    .onConflict(c =>
      c.columns(['project_id', 'hour']).doUpdateSet({
        requests: sql`stats_hours.requests + excluded.requests`,
        bytes: sql`stats_hours.bytes + excluded.bytes`,
        cache_hits: sql`stats_hours.cache_hits + excluded.cache_hits`,
        status_2xx: sql`stats_hours.status_2xx + excluded.status_2xx`,
        status_3xx: sql`stats_hours.status_3xx + excluded.status_3xx`,
        status_4xx: sql`stats_hours.status_4xx + excluded.status_4xx`,
        status_5xx: sql`stats_hours.status_5xx + excluded.status_5xx`,
        status_other: sql`stats_hours.status_other + excluded.status_other`,
        pageviews: sql`stats_hours.pageviews + excluded.pageviews`,
        visitors: sql`stats_hours.visitors + excluded.visitors`,
        lost: sql`stats_hours.lost + excluded.lost`,
      }),
    )
    .execute()
}

async function addNames(tx: Tx, rows: StatsNameRow[]): Promise<void> {
  await tx
    .insertInto('stats_names')
    .values(rows)
    .onConflict(c =>
      c.columns(['project_id', 'kind', 'since', 'name']).doUpdateSet({
        requests: sql`stats_names.requests + excluded.requests`,
        bytes: sql`stats_names.bytes + excluded.bytes`,
      }),
    )
    .execute()
}

export function* portions<R>(rows: R[]): Generator<R[]> {
  for (let at = 0; at < rows.length; at += atOnce) yield rows.slice(at, at + atOnce)
}

/**
 * The last hour since whose start there were more than `ceiling` requests. 0 if there were not as many. Looks at the longest
 * window of the live stats.
 */
export async function sampledSince(db: Db, projectId: string, ceiling: number): Promise<number> {
  const rows = await db
    .selectFrom('stats_hours')
    .select(['hour', 'requests'])
    .where('project_id', '=', projectId)
    .orderBy('hour', 'desc')
    .limit(limits.statsHours.max)
    .execute()
  let sum = 0
  for (const { hour, requests } of rows) {
    sum += requests
    if (sum > ceiling) return hour
  }
  return 0
}

/** Lists of one kind, from one time to another with both, that have more names than that. */
export async function longLists(
  tx: Tx,
  { project_id, kind, from, to }: Omit<NameList, 'since'> & { from: number; to: number },
  names: number,
): Promise<NameList[]> {
  const rows = await tx
    .selectFrom('stats_names')
    .select('since')
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .where('since', '>=', from)
    .where('since', '<=', to)
    .groupBy('since')
    .having(eb => eb.fn.countAll<number>(), '>', names)
    .execute()
  return rows.map(({ since }) => ({ project_id, kind, since }))
}

/** Only the names that were asked for most are kept; among equals the first of the alphabet. */
export async function pruneNames(tx: Tx, { project_id, kind, since }: NameList, keep: number): Promise<void> {
  const first = await tx
    .selectFrom('stats_names')
    .select(['requests', 'name'])
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .where('since', '=', since)
    .orderBy('requests', 'desc')
    .orderBy('name')
    .offset(keep)
    .limit(1)
    .executeTakeFirst()
  if (!first) return
  const { requests, name } = first
  await tx
    .deleteFrom('stats_names')
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .where('since', '=', since)
    .where(eb =>
      eb.or([eb('requests', '<', requests), eb('requests', '=', requests).and('name', '>=', name)]),
    )
    .execute()
}

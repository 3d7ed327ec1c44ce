// The rows of the charts over time.
import { sql } from 'kysely'
import { deletedAtOnce, deleteInBatches } from '../in-batches.ts'
import type { Db, Tx } from '../store.ts'
import type { ChartPointRow } from '../tables.ts'
import { existingProjects, inOrderOf, portions } from './intake.ts'
import { type ChartCounts, chartColumns } from './rows.ts'

/** The owner of the rows that add up all projects and svcd itself. */
export const wholePlatform = 'platform'

/** Adds the counts to what is there. Those of projects that are gone are left out. */
export async function addChartPoints(tx: Tx, rows: readonly ChartPointRow[]): Promise<void> {
  const there = await existingProjects(tx, new Set(rows.map(({ owner }) => owner)))
  const kept = rows.filter(({ owner }) => owner === wholePlatform || there.has(owner))
  for (const values of portions(kept.sort(inOrderOf('owner', 'step_ms', 'at'))))
    await tx
      .insertInto('chart_points')
      .values(values)
      .onConflict(c =>
        c
          .columns(['owner', 'step_ms', 'at'])
          .doUpdateSet(
            Object.fromEntries(
              chartColumns.map(column => [
                column,
                sql<number>`${sql.ref(`chart_points.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
              ]),
            ),
          ),
      )
      .execute()
}

interface ChartSpan {
  /** The length of the rows that are read. */
  stepMs: number
  /** The length of the points that are made of them. */
  perMs: number
  from: number
  to: number
}

/** The sums of each point, by its start. Without an entry, nothing happened. */
export async function chartSums(
  db: Db,
  owner: string,
  { stepMs, perMs, from, to }: ChartSpan,
): Promise<Map<number, ChartCounts>> {
  // A literal, since PostgreSQL takes two parameters of one value for two expressions.
  const start = sql<number | string>`at - at % ${sql.lit(perMs)}`
  const rows = await db
    .selectFrom('chart_points')
    .select(eb => [
      start.as('start'),
      ...chartColumns.map(column => eb.fn.sum<number | string>(column).as(column)),
    ])
    .where('owner', '=', owner)
    .where('step_ms', '=', stepMs)
    .where('at', '>=', from)
    .where('at', '<', to)
    .groupBy(start)
    .execute()
  return new Map(
    rows.map(row => [
      Number(row.start),
      Object.fromEntries(chartColumns.map(column => [column, Number(row[column])])) as ChartCounts,
    ]),
  )
}

export async function deleteOldChartPoints(db: Db, stepMs: number, before: number): Promise<void> {
  await deleteInBatches(() =>
    db
      .deleteFrom('chart_points')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('owner', 'step_ms', 'at'),
          'in',
          selectFrom('chart_points')
            .select(['owner', 'step_ms', 'at'])
            .where('step_ms', '=', stepMs)
            .where('at', '<', before)
            .limit(deletedAtOnce)
            .$asTuple('owner', 'step_ms', 'at'),
        ),
      )
      .executeTakeFirst(),
  )
}

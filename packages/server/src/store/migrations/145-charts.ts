// What projects and the whole platform did and used: a row for each minute and for each hour.
import { type Kysely, sql } from 'kysely'
import type { Engine } from '../store.ts'

const counts = [
  'requests',
  'errors',
  'cpu_ms',
  'memory_kb_s',
  'running_ms',
  ...[1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000].map(ms => `within_${ms}`),
  'slower',
]

export async function charts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  let table = db.schema
    .createTable('chart_points')
    .addColumn('owner', 'text', c => c.notNull())
    .addColumn('step_ms', 'bigint', c => c.notNull())
    .addColumn('at', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('chart_points_pk', ['owner', 'step_ms', 'at'])
  for (const column of counts) table = table.addColumn(column, 'bigint', c => c.notNull())
  // Rows are found by their key alone: on SQLite the key is the table.
  await (engine === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table).execute()
  // For the sweep, which goes by age and not by project.
  await db.schema.createIndex('chart_points_by_age').on('chart_points').columns(['step_ms', 'at']).execute()
}

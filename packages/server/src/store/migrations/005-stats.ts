// Traffic and audience: counts per hour, the names that top lists show, and the visitors of the day.
import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Engine } from '../store.ts'

const counts = [
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
  'lost',
]

export async function stats(db: Kysely<unknown>, engine: Engine): Promise<void> {
  /** Rows are found by their key alone: on SQLite the key is the table. */
  const create = <T extends string>(table: CreateTableBuilder<T>) =>
    (engine === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table).execute()
  const ofProject = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))

  let hours = ofProject('stats_hours').addColumn('hour', 'bigint', c => c.notNull())
  for (const column of counts) hours = hours.addColumn(column, 'bigint', c => c.notNull())
  await create(hours.addPrimaryKeyConstraint('stats_hours_pk', ['project_id', 'hour']))
  await create(
    ofProject('stats_names')
      .addColumn('kind', 'text', c => c.notNull())
      .addColumn('since', 'bigint', c => c.notNull())
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('requests', 'bigint', c => c.notNull())
      .addColumn('bytes', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('stats_names_pk', ['project_id', 'kind', 'since', 'name']),
  )
  await create(
    ofProject('stats_visitors')
      .addColumn('day', 'bigint', c => c.notNull())
      .addColumn('hash', 'text', c => c.notNull())
      .addPrimaryKeyConstraint('stats_visitors_pk', ['project_id', 'day', 'hash']),
  )
  await db.schema
    .createTable('stats_salts')
    .addColumn('day', 'bigint', c => c.primaryKey())
    .addColumn('salt', 'text', c => c.notNull())
    .execute()
  // For the sweeper, which goes by age and not by project.
  await db.schema.createIndex('stats_hours_by_age').on('stats_hours').column('hour').execute()
  await db.schema.createIndex('stats_names_by_age').on('stats_names').columns(['kind', 'since']).execute()
  await db.schema.createIndex('stats_visitors_by_age').on('stats_visitors').column('day').execute()
}

// The request log: single requests to sites, for a few days and without anything that identifies a visitor.
import { type Kysely, sql } from 'kysely'
import type { Engine } from '../store.ts'

export async function requests(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const table = db.schema
    .createTable('requests')
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('id', 'text', c => c.notNull())
    .addColumn('method', 'text', c => c.notNull())
    .addColumn('host', 'text', c => c.notNull())
    .addColumn('path', 'text', c => c.notNull())
    .addColumn('status', 'integer', c => c.notNull())
    .addColumn('ms', 'bigint')
    .addColumn('bytes', 'bigint', c => c.notNull())
    .addColumn('cache', 'text')
    .addColumn('deployment_id', 'text')
    .addColumn('request_id', 'text')
    .addColumn('times', 'bigint', c => c.notNull())
    .addColumn('left_out', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('requests_pk', ['project_id', 'created_at', 'id'])
  // Rows are found by their key alone: on SQLite the key is the table.
  await (engine === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table).execute()
  // For the sweeper, which goes by age and not by project.
  await db.schema.createIndex('requests_by_age').on('requests').column('created_at').execute()
}

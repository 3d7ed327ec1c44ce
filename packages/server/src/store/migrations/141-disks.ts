// The disks of server apps, and which instance writes to which.
import type { Kysely } from 'kysely'

export async function disks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('disks')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('branch', 'text', c => c.notNull())
    .addColumn('node_id', 'text', c => c.notNull())
    .addColumn('size_bytes', 'bigint', c => c.notNull())
    .addColumn('path', 'text', c => c.notNull())
    .addColumn('used_bytes', 'bigint')
    .addColumn('measured_at', 'bigint')
    .addColumn('problem', 'text')
    .addColumn('task', 'text')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('removed_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('disks_by_place')
    .on('disks')
    .columns(['project_id', 'branch'])
    .unique()
    .execute()
  await db.schema
    .createTable('discarded_disks')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('node_id', 'text', c => c.notNull())
    .addColumn('discarded_at', 'bigint', c => c.notNull())
    .execute()
  await db.schema
    .createTable('disk_snapshots')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('disk_id', 'text', c => c.notNull().references('disks.id').onDelete('cascade'))
    .addColumn('reason', 'text', c => c.notNull())
    .addColumn('bytes', 'bigint', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
  await db.schema.createIndex('snapshots_by_disk').on('disk_snapshots').columns(['disk_id']).execute()
  await db.schema.alterTable('app_instances').addColumn('disk_id', 'text').execute()
  await db.schema
    .alterTable('app_instances')
    .addColumn('takes_disk', 'integer', c => c.notNull().defaultTo(0))
    .execute()
}

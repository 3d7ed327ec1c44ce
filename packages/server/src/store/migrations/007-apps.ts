// Server apps: how a deployment starts, and its instances.
import { type Kysely, sql } from 'kysely'

export async function apps(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema.alterTable('deployments').addColumn('framework', 'text').execute()
  await schema.alterTable('deployments').addColumn('start_command', 'text').execute()
  await schema
    .createTable('app_generations')
    .addColumn('project_id', 'text', c => c.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('generation', 'integer', c => c.notNull())
    .execute()
  await schema
    .createTable('app_instances')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('deployment_id', 'text', c => c.notNull().references('deployments.id').onDelete('cascade'))
    .addColumn('state', 'text', c => c.notNull())
    .addColumn('outcome', 'text')
    .addColumn('error', 'text')
    .addColumn('node_id', 'text')
    .addColumn('host', 'text')
    .addColumn('port', 'integer')
    .addColumn('generation', 'integer', c => c.notNull())
    .addColumn('crashes', 'integer', c => c.notNull())
    .addColumn('not_before', 'bigint', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('used_at', 'bigint', c => c.notNull())
    .addColumn('ready_at', 'bigint')
    .addColumn('draining_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .execute()
  await schema
    .createIndex('app_instances_by_deployment')
    .on('app_instances')
    .columns(['deployment_id', 'created_at'])
    .execute()
  await schema
    .createIndex('app_instances_by_project')
    .on('app_instances')
    .columns(['project_id', 'created_at'])
    .execute()
  await sql`create index app_instances_active on app_instances (node_id) where state <> 'ended'`.execute(db)
  // All requests for an app that is starting, on all nodes, wait for the same start.
  await sql`create unique index app_instances_one_start on app_instances (deployment_id)
    where state in ('wanted', 'starting')`.execute(db)
}

// Scheduled jobs: what is requested when, each run, and the secret that signs the requests of a project.
import type { Kysely } from 'kysely'

export async function crons(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('crons')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('schedule', 'text', c => c.notNull())
    .addColumn('path', 'text', c => c.notNull())
    .addColumn('method', 'text', c => c.notNull())
    .addColumn('enabled', 'integer', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    // Where a worker looks next; null while it is disabled or never comes.
    .addColumn('next_run_at', 'bigint')
    // The run under way, and until when it is believed to be.
    .addColumn('running', 'text')
    .addColumn('running_until', 'bigint')
    .execute()
  await schema.createIndex('crons_by_project').on('crons').columns(['project_id', 'created_at']).execute()
  await schema.createIndex('crons_due').on('crons').column('next_run_at').execute()
  await schema
    .createTable('cron_runs')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('cron_id', 'text', c => c.notNull().references('crons.id').onDelete('cascade'))
    .addColumn('started_at', 'bigint', c => c.notNull())
    .addColumn('duration_ms', 'integer', c => c.notNull())
    .addColumn('status', 'integer')
    .addColumn('error', 'text')
    .execute()
  await schema.createIndex('cron_runs_by_cron').on('cron_runs').columns(['cron_id', 'started_at']).execute()
  await schema
    .createTable('cron_secrets')
    .addColumn('project_id', 'text', c => c.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('sealed', 'text', c => c.notNull())
    .addColumn('key_id', 'text', c => c.notNull())
    .execute()
}

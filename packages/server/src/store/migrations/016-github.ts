// GitHub: who people are there, installations, deliveries of its webhook, and what it was told about builds.
import type { Kysely } from 'kysely'

export async function github(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('github_users')
    .addColumn('account_id', 'text', c => c.primaryKey().references('accounts.id').onDelete('cascade'))
    .addColumn('github_id', 'bigint', c => c.notNull().unique())
    .addColumn('login', 'text', c => c.notNull())
    // The user's token, as JSON.
    .addColumn('sealed', 'text', c => c.notNull())
    .addColumn('key_id', 'text', c => c.notNull())
    .addColumn('updated_at', 'bigint', c => c.notNull())
    .execute()
  // What a login at GitHub needs until it ends: sealed JSON. Null for a login at the built-in forge.
  await schema.alterTable('device_logins').addColumn('github', 'text').execute()
  await schema
    .alterTable('device_logins')
    .addColumn('interval_ms', 'bigint', c => c.notNull().defaultTo(0))
    .execute()
  await schema
    .createTable('github_installations')
    .addColumn('id', 'bigint', c => c.primaryKey())
    .addColumn('account', 'text', c => c.notNull())
    .addColumn('is_suspended', 'integer', c => c.notNull())
    .execute()
  // Set for a repository of GitHub, whose `name` is `owner/name` and whose owner columns are null.
  await schema.alterTable('repositories').addColumn('github_id', 'bigint').execute()
  await schema
    .createIndex('repositories_at_github')
    .unique()
    .on('repositories')
    .columns(['github_id'])
    .execute()
  for (const table of ['builds', 'deployments'])
    await schema
      .alterTable(table)
      .addColumn('from_fork', 'integer', c => c.notNull().defaultTo(0))
      .execute()
  await schema
    .createTable('github_deliveries')
    // GitHub's id of the delivery.
    .addColumn('id', 'text', c => c.primaryKey())
    // The parts of the event that matter, as JSON. Null once it was dealt with.
    .addColumn('event', 'text')
    .addColumn('received_at', 'bigint', c => c.notNull())
    .addColumn('next_at', 'bigint', c => c.notNull())
    .addColumn('attempts', 'integer', c => c.notNull())
    .execute()
  await schema.createIndex('github_deliveries_by_time').on('github_deliveries').columns(['next_at']).execute()
  await schema
    .createTable('github_reports')
    .addColumn('build_id', 'text', c => c.primaryKey().references('builds.id').onDelete('cascade'))
    .addColumn('repository_id', 'text', c => c.notNull().references('repositories.id').onDelete('cascade'))
    // The status of the build that GitHub knows; empty before the first report.
    .addColumn('told', 'text', c => c.notNull())
    // GitHub's id of the deployment.
    .addColumn('deployment_id', 'bigint')
    .addColumn('next_at', 'bigint', c => c.notNull())
    .addColumn('attempts', 'integer', c => c.notNull())
    .execute()
  await schema.createIndex('github_reports_by_time').on('github_reports').columns(['next_at']).execute()
  await schema
    .createTable('github_pulls')
    .addColumn('repository_id', 'text', c => c.notNull().references('repositories.id').onDelete('cascade'))
    .addColumn('number', 'bigint', c => c.notNull())
    // As builds name it: the branch, or `owner:branch` of a fork.
    .addColumn('branch', 'text', c => c.notNull())
    .addColumn('is_open', 'integer', c => c.notNull())
    // 1 while the comment may differ from what it should say.
    .addColumn('is_stale', 'integer', c => c.notNull())
    .addColumn('comment_id', 'bigint')
    .addColumn('next_at', 'bigint', c => c.notNull())
    .addColumn('attempts', 'integer', c => c.notNull())
    .addPrimaryKeyConstraint('github_pulls_pk', ['repository_id', 'number'])
    .execute()
  await schema
    .createIndex('github_pulls_by_branch')
    .on('github_pulls')
    .columns(['repository_id', 'branch'])
    .execute()
}

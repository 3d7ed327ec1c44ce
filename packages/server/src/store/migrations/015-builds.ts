// Git: repositories of the built-in forge, which project builds from which, and the builds with their logs.
import type { Kysely } from 'kysely'

export async function builds(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('repositories')
    .addColumn('id', 'text', c => c.primaryKey())
    // Exactly one of the two is set.
    .addColumn('account_id', 'text', c => c.references('accounts.id').onDelete('cascade'))
    .addColumn('org_id', 'text', c => c.references('orgs.id').onDelete('cascade'))
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    // 1 from before a push until its branches were compared with repository_branches.
    .addColumn('is_behind', 'integer', c => c.notNull())
    .addColumn('pushed_by', 'text', c => c.references('accounts.id').onDelete('set null'))
    .execute()
  await schema
    .createIndex('repositories_of_account')
    .unique()
    .on('repositories')
    .columns(['account_id', 'name'])
    .execute()
  await schema
    .createIndex('repositories_of_org')
    .unique()
    .on('repositories')
    .columns(['org_id', 'name'])
    .execute()
  await schema
    .createTable('repository_branches')
    .addColumn('repository_id', 'text', c => c.notNull().references('repositories.id').onDelete('cascade'))
    .addColumn('branch', 'text', c => c.notNull())
    .addColumn('commit_sha', 'text', c => c.notNull())
    .addPrimaryKeyConstraint('repository_branches_pk', ['repository_id', 'branch'])
    .execute()
  await schema
    .createTable('project_repos')
    .addColumn('project_id', 'text', c => c.primaryKey().references('projects.id').onDelete('cascade'))
    // `owner/name`, as people know it.
    .addColumn('repo', 'text', c => c.notNull())
    .addColumn('repository_id', 'text', c => c.references('repositories.id').onDelete('cascade'))
    .addColumn('installation_id', 'bigint')
    .addColumn('branch', 'text', c => c.notNull())
    .addColumn('build_cmd', 'text')
    .addColumn('install_cmd', 'text')
    .addColumn('output_dir', 'text')
    .addColumn('root_dir', 'text')
    .addColumn('previews', 'integer', c => c.notNull())
    .addColumn('connected_by', 'text', c => c.references('accounts.id').onDelete('set null'))
    .addColumn('connected_at', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createIndex('project_repos_by_repository')
    .on('project_repos')
    .column('repository_id')
    .execute()
  await schema
    .createTable('builds')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('status', 'text', c => c.notNull())
    .addColumn('branch', 'text', c => c.notNull())
    .addColumn('is_production', 'integer', c => c.notNull())
    .addColumn('commit_sha', 'text', c => c.notNull())
    .addColumn('commit_message', 'text')
    .addColumn('author', 'text')
    .addColumn('deployment_id', 'text')
    .addColumn('requested_by', 'text', c => c.references('accounts.id').onDelete('set null'))
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addColumn('error', 'text')
    // The builder that runs it, and until when it is believed to.
    .addColumn('node_id', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('attempts', 'integer', c => c.notNull())
    .addColumn('cancel_requested', 'integer', c => c.notNull())
    .execute()
  await schema.createIndex('builds_by_project').on('builds').columns(['project_id', 'created_at']).execute()
  await schema.createIndex('builds_by_status').on('builds').columns(['status', 'created_at']).execute()
  await schema
    .createTable('build_logs')
    .addColumn('build_id', 'text', c => c.notNull().references('builds.id').onDelete('cascade'))
    // Of the first byte of `text` in the whole log.
    .addColumn('at', 'integer', c => c.notNull())
    .addColumn('bytes', 'integer', c => c.notNull())
    .addColumn('text', 'text', c => c.notNull())
    .addPrimaryKeyConstraint('build_logs_pk', ['build_id', 'at'])
    .execute()
}

// The one list of migrations. A migration that has shipped is never edited; the next change is a new one.

import { type Kysely, type Migration, sql } from 'kysely'
import { domains } from './migrations/003-domains.ts'
import { certificates } from './migrations/004-certificates.ts'
import { stats } from './migrations/005-stats.ts'
import { forms } from './migrations/006-forms.ts'
import { apps } from './migrations/007-apps.ts'
import { crons } from './migrations/008-crons.ts'
import { platform } from './migrations/010-platform.ts'
import { logRequests } from './migrations/011-log-requests.ts'
import { appPorts } from './migrations/012-app-ports.ts'
import { bounds } from './migrations/013-bounds.ts'
import { tokenUse } from './migrations/014-token-use.ts'
import { domainProofs } from './migrations/015-domain-proofs.ts'
import { builds } from './migrations/016-builds.ts'
import { github } from './migrations/017-github.ts'
import { deployHooks } from './migrations/018-deploy-hooks.ts'
import { billing } from './migrations/019-billing.ts'
import { invoices } from './migrations/020-invoices.ts'
import { ai } from './migrations/021-ai.ts'
import { rowBounds } from './migrations/022-row-bounds.ts'
import { deletedUsage } from './migrations/023-deleted-usage.ts'
import type { Engine } from './store.ts'

export const migrations = (engine: Engine): Record<string, Migration> => ({
  '001_skeleton': { up: db => skeleton(db, engine) },
  '002_teams': { up: teams },
  '003_domains': { up: domains },
  '004_certificates': { up: certificates },
  '005_stats': { up: db => stats(db, engine) },
  '006_forms': { up: forms },
  '007_apps': { up: apps },
  '008_crons': { up: crons },
  '010_platform': { up: platform },
  '011_log_requests': { up: logRequests },
  '012_app_ports': { up: appPorts },
  '013_bounds': { up: bounds },
  '014_token_use': { up: tokenUse },
  '015_domain_proofs': { up: domainProofs },
  '016_builds': { up: builds },
  '017_github': { up: github },
  '018_deploy_hooks': { up: deployHooks },
  '019_billing': { up: billing },
  '020_invoices': { up: invoices },
  '021_ai': { up: ai },
  '022_row_bounds': { up: rowBounds },
  '023_deleted_usage': { up: deletedUsage },
})

async function skeleton(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { schema } = db
  await schema
    .createTable('accounts')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('forge_id', 'bigint', c => c.notNull().unique())
    .addColumn('login', 'text', c => c.notNull().unique())
    .addColumn('email', 'text')
    .addColumn('password_hash', 'text')
    .addColumn('is_admin', 'integer', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createTable('orgs')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('name', 'text', c => c.notNull().unique())
    .addColumn('display_name', 'text')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createTable('members')
    .addColumn('org_id', 'text', c => c.notNull().references('orgs.id').onDelete('cascade'))
    .addColumn('account_id', 'text', c => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('role', 'text', c => c.notNull())
    .addColumn('joined_at', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('members_pk', ['org_id', 'account_id'])
    .execute()
  await schema.createIndex('members_by_account').on('members').column('account_id').execute()
  await schema
    .createTable('tokens')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('hash', 'text', c => c.notNull().unique())
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('label', 'text', c => c.notNull())
    .addColumn('account_id', 'text', c => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('org_id', 'text', c => c.references('orgs.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute()
  await schema.createIndex('tokens_by_account').on('tokens').columns(['account_id', 'created_at']).execute()
  await schema
    .createTable('device_logins')
    .addColumn('code_hash', 'text', c => c.primaryKey())
    .addColumn('user_code', 'text', c => c.notNull().unique())
    .addColumn('status', 'text', c => c.notNull())
    .addColumn('account_id', 'text', c => c.references('accounts.id').onDelete('cascade'))
    .addColumn('ip', 'text', c => c.notNull())
    .addColumn('user_agent', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .addColumn('polled_at', 'bigint')
    .execute()
  await schema.createIndex('device_logins_by_expiry').on('device_logins').column('expires_at').execute()
  await schema
    .createTable('projects')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('name', 'text', c => c.notNull().unique())
    .addColumn('account_id', 'text', c => c.references('accounts.id'))
    .addColumn('org_id', 'text', c => c.references('orgs.id'))
    .addColumn('active_deployment_id', 'text')
    .addColumn('expires_at', 'bigint')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addCheckConstraint('projects_one_owner', sql`(account_id is null) <> (org_id is null)`)
    .execute()
  await schema
    .createIndex('projects_by_account')
    .on('projects')
    .columns(['account_id', 'created_at', 'id'])
    .execute()
  await schema.createIndex('projects_by_org').on('projects').columns(['org_id', 'created_at', 'id']).execute()
  await schema
    .createTable('deployments')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('status', 'text', c => c.notNull())
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('file_count', 'bigint')
    .addColumn('size_bytes', 'bigint')
    .addColumn('git_sha', 'text')
    .addColumn('git_branch', 'text')
    .addColumn('branch_slug', 'text')
    .addColumn('cli_version', 'text')
    .addColumn('created_by', 'text', c => c.references('accounts.id').onDelete('set null'))
    .addColumn('warnings', 'text', c => c.notNull())
    .addColumn('error', 'text')
    .addColumn('node_id', 'text', c => c.notNull())
    .execute()
  await schema
    .createIndex('deployments_by_project')
    .on('deployments')
    .columns(['project_id', 'created_at', 'id'])
    .execute()
  await schema
    .createIndex('deployments_by_branch')
    .on('deployments')
    .columns(['project_id', 'branch_slug', 'created_at'])
    .execute()
  // The database itself refuses a second live deployment, whatever the concurrency.
  await sql`create unique index deployments_one_live on deployments (project_id) where status = 'live'`.execute(
    db,
  )
  await sql`create index deployments_uploading on deployments (node_id) where status = 'uploading'`.execute(
    db,
  )
  const changes = schema.createTable('changes')
  await (engine === 'sqlite'
    ? changes.addColumn('seq', 'integer', c => c.primaryKey().autoIncrement())
    : changes.addColumn('seq', 'bigserial', c => c.primaryKey())
  )
    .addColumn('topic', 'text', c => c.notNull())
    .addColumn('key', 'text', c => c.notNull())
    .addColumn('at', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createTable('jobs')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('key', 'text', c => c.notNull())
    .addColumn('run_at', 'bigint', c => c.notNull())
    .addColumn('attempts', 'integer', c => c.notNull())
    .addColumn('claimed_until', 'bigint')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addUniqueConstraint('jobs_kind_key', ['kind', 'key'])
    .execute()
  await schema.createIndex('jobs_by_time').on('jobs').column('run_at').execute()
  await schema
    .createTable('rate_limits')
    .addColumn('key', 'text', c => c.primaryKey())
    .addColumn('window_start', 'bigint', c => c.notNull())
    .addColumn('count', 'integer', c => c.notNull())
    .execute()
  await schema
    .createTable('counters')
    .addColumn('name', 'text', c => c.primaryKey())
    .addColumn('value', 'bigint', c => c.notNull())
    .execute()
  await sql`insert into counters (name, value) values ('accounts', 0)`.execute(db)
}

async function teams(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .alterTable('projects')
    .addColumn('access_mode', 'text', c => c.notNull().defaultTo('public'))
    .execute()
  await schema.alterTable('projects').addColumn('password_hash', 'text').execute()
  await schema
    .alterTable('projects')
    .addColumn('access_generation', 'integer', c => c.notNull().defaultTo(0))
    .execute()
  await schema
    .createTable('org_icons')
    .addColumn('org_id', 'text', c => c.primaryKey().references('orgs.id').onDelete('cascade'))
    .addColumn('type', 'text', c => c.notNull())
    .addColumn('hash', 'text', c => c.notNull())
    .addColumn('base64', 'text', c => c.notNull())
    .execute()
  await schema
    .createTable('invites')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('org_id', 'text', c => c.notNull().references('orgs.id').onDelete('cascade'))
    .addColumn('email', 'text', c => c.notNull())
    .addColumn('role', 'text', c => c.notNull())
    .addColumn('token_hash', 'text', c => c.notNull().unique())
    .addColumn('sender_id', 'text', c => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('status', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .execute()
  await schema.createIndex('invites_by_org').on('invites').columns(['org_id', 'created_at']).execute()
  await schema.createIndex('tokens_by_org').on('tokens').columns(['org_id', 'created_at']).execute()
  await schema
    .createTable('shared_installations')
    .addColumn('installation_id', 'bigint', c => c.primaryKey())
    .addColumn('org_id', 'text', c => c.notNull().references('orgs.id').onDelete('cascade'))
    .addColumn('shared_by', 'text', c => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
  await schema.createIndex('installations_by_org').on('shared_installations').column('org_id').execute()
  await schema
    .createTable('subscriptions')
    .addColumn('owner_id', 'text', c => c.primaryKey())
    .addColumn('plan', 'text', c => c.notNull())
    .addColumn('period_end', 'bigint', c => c.notNull())
    .addColumn('cancel_at_period_end', 'integer', c => c.notNull())
    .execute()
  await schema
    .createTable('env_vars')
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('key', 'text', c => c.notNull())
    .addColumn('sealed', 'text', c => c.notNull())
    .addColumn('key_id', 'text', c => c.notNull())
    .addColumn('scope', 'text', c => c.notNull())
    .addColumn('updated_at', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('env_vars_pk', ['project_id', 'key'])
    .execute()
  await schema.createIndex('env_vars_by_key_id').on('env_vars').column('key_id').execute()
  await schema
    .createTable('access_codes')
    .addColumn('code_hash', 'text', c => c.primaryKey())
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('account_id', 'text', c => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('host', 'text', c => c.notNull())
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createTable('audit')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('org_id', 'text', c => c.references('orgs.id').onDelete('cascade'))
    .addColumn('project_id', 'text', c => c.references('projects.id').onDelete('set null'))
    .addColumn('actor', 'text', c => c.notNull())
    .addColumn('action', 'text', c => c.notNull())
    .addColumn('target', 'text')
    .addColumn('ip', 'text', c => c.notNull())
    .addColumn('details', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
  await schema.createIndex('audit_by_org').on('audit').columns(['org_id', 'created_at', 'id']).execute()
  await schema
    .createIndex('audit_by_project')
    .on('audit')
    .columns(['project_id', 'created_at', 'id'])
    .execute()
  await schema
    .createTable('discarded_packs')
    .addColumn('deployment_id', 'text', c => c.primaryKey())
    .addColumn('discarded_at', 'bigint', c => c.notNull())
    .execute()
  await sql`create index projects_expiring on projects (expires_at) where expires_at is not null`.execute(db)
}

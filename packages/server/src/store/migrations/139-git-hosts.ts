// Repositories at GitLab, Gitea or Forgejo: each is connected with a token of its user, and has a webhook of its own.
import type { Kysely } from 'kysely'

export async function gitHosts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('git_host_repositories')
    .addColumn('repository_id', 'text', c => c.primaryKey().references('repositories.id').onDelete('cascade'))
    .addColumn('kind', 'text', c => c.notNull())
    // Of the host, without the path of the repository.
    .addColumn('base_url', 'text', c => c.notNull())
    .addColumn('path', 'text', c => c.notNull())
    // The host's id of the webhook. Null until it is known.
    .addColumn('webhook_id', 'bigint')
    // The token and the secret of the webhook, as JSON.
    .addColumn('sealed', 'text', c => c.notNull())
    .addColumn('key_id', 'text', c => c.notNull())
    .execute()
  // Null for the built-in forge and for GitHub.
  for (const table of ['repositories', 'project_repos'])
    await db.schema.alterTable(table).addColumn('host', 'text').execute()
}

// Whose a domain is: whether that was proved, and who detached it lately.
import { type Kysely, sql } from 'kysely'

export async function domainProofs(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema.alterTable('domains').addColumn('verified_at', 'bigint').execute()
  await schema.alterTable('domains').addColumn('next_look_at', 'bigint').execute()
  // Domains that were attached before anybody asked for proof stay as they are.
  await sql`update domains set verified_at = created_at`.execute(db)
  await sql`create index domains_unverified on domains (next_look_at) where verified_at is null`.execute(db)
  await schema
    .createTable('domain_releases')
    .addColumn('domain', 'text', c => c.primaryKey())
    // An account or an org. It may be gone by now.
    .addColumn('owner_id', 'text', c => c.notNull())
    .addColumn('released_at', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createIndex('domain_releases_by_owner')
    .on('domain_releases')
    .columns(['owner_id', 'released_at'])
    .execute()
}

// Repositories on the storage: their refs, and the objects that hold their packs. No row refers to `repositories`: a repository
// is there before its record, and its objects must be removed after it.
import type { Kysely } from 'kysely'

export async function sharedRepositories(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('repository_states')
    .addColumn('repository_id', 'text', c => c.primaryKey())
    .addColumn('version', 'bigint', c => c.notNull())
    .addColumn('generation', 'bigint', c => c.notNull())
    .addColumn('head', 'text', c => c.notNull())
    .execute()
  await schema
    .createTable('repository_refs')
    .addColumn('repository_id', 'text', c => c.notNull())
    .addColumn('ref', 'text', c => c.notNull())
    .addColumn('sha', 'text', c => c.notNull())
    .addPrimaryKeyConstraint('repository_refs_pk', ['repository_id', 'ref'])
    .execute()
  await schema
    .createTable('repository_packs')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('repository_id', 'text', c => c.notNull())
    .addColumn('status', 'text', c => c.notNull())
    .addColumn('since', 'bigint', c => c.notNull())
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('pack_bytes', 'bigint', c => c.notNull())
    .addColumn('index_bytes', 'bigint', c => c.notNull())
    .addColumn('sha256', 'text', c => c.notNull())
    .execute()
  await schema
    .createIndex('repository_packs_by_repository')
    .on('repository_packs')
    .columns(['repository_id', 'status'])
    .execute()
}

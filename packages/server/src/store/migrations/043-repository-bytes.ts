// The size of each repository, so that a list of repositories measures nothing.
import type { Kysely } from 'kysely'

export async function repositoryBytes(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('repositories').addColumn('stored_bytes', 'bigint').execute()
}

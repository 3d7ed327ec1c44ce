// When a token was last used, and when it expires.
import type { Kysely } from 'kysely'

export async function tokenUse(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('tokens').addColumn('last_used_at', 'bigint').execute()
  await db.schema.alterTable('tokens').addColumn('expires_at', 'bigint').execute()
}

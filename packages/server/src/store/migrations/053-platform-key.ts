// The id of the secret key that the nodes of this platform share.
import type { Kysely } from 'kysely'

export async function platformKey(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('platform').addColumn('key_id', 'text').execute()
}

// When the authority was last asked when a certificate is to be renewed (ARI).
import type { Kysely } from 'kysely'

export async function renewalInfo(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('certificates').addColumn('renewal_asked_at', 'bigint').execute()
}

// Notes when a deployment was superseded in production. Its hashed files stay reachable for a while after that.
import type { Kysely } from 'kysely'

export async function supersededAt(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('deployments').addColumn('superseded_at', 'bigint').execute()
}

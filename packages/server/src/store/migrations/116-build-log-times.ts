// When each part of a build's log was written.
import type { Kysely } from 'kysely'

export async function buildLogTimes(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('build_logs').addColumn('written_at', 'bigint').execute()
}

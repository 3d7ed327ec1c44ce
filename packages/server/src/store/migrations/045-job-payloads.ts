// What a background job is about, as JSON, which svcd could not read it, and how each step of the sweep went the last time.
import type { Kysely } from 'kysely'

export async function jobPayloads(db: Kysely<unknown>): Promise<void> {
  // Null in jobs of the versions before, whose key says it all.
  await db.schema.alterTable('jobs').addColumn('payload', 'text').execute()
  await db.schema.alterTable('jobs').addColumn('not_understood_by', 'text').execute()
  await db.schema
    .createTable('sweep_steps')
    .addColumn('name', 'text', c => c.primaryKey())
    .addColumn('ran_at', 'bigint', c => c.notNull())
    .addColumn('took_ms', 'bigint', c => c.notNull())
    .addColumn('succeeded_at', 'bigint')
    .addColumn('error', 'text')
    .execute()
}

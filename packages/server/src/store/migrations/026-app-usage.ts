// The memory and the CPU time that a running app uses.
import type { Kysely } from 'kysely'

export async function appUsage(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('app_instances').addColumn('memory_bytes', 'bigint').execute()
  await db.schema.alterTable('app_instances').addColumn('cpu_millicores', 'bigint').execute()
}

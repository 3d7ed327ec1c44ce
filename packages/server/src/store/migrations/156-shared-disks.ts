// Disks that two instances of an app may have at a time.
import type { Kysely } from 'kysely'

export async function sharedDisks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('disks')
    .addColumn('is_shared', 'integer', c => c.notNull().defaultTo(0))
    .execute()
}

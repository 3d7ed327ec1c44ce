// The version of svcd that last started on this database. An older one that cannot read the database names it.
import type { Kysely } from 'kysely'

export async function platformVersion(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('platform').addColumn('version', 'text').execute()
}

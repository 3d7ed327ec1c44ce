// What makes the copy of a preview fit to be seen, and which svcd fills or replaces a database now.
import type { Kysely } from 'kysely'

export async function filledDatabases(db: Kysely<unknown>): Promise<void> {
  for (const [name, type] of [
    ['preview_mask', 'text'],
    ['filled_by', 'text'],
    ['filled_until', 'bigint'],
  ] as const)
    await db.schema.alterTable('app_databases').addColumn(name, type).execute()
}

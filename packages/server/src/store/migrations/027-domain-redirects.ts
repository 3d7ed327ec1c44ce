// Which domain of a project is its primary one, and which domains redirect to another.
import type { Kysely } from 'kysely'

export async function domainRedirects(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('domains').addColumn('redirect_to', 'text').execute()
  await db.schema
    .alterTable('domains')
    .addColumn('is_primary', 'integer', c => c.notNull().defaultTo(0))
    .execute()
}

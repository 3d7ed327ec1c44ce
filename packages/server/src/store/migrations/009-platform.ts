// What the platform is called among others: one row that is made once.
import { type Kysely, sql } from 'kysely'

export async function platform(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('platform')
    .addColumn('only_row', 'integer', c => c.primaryKey().check(sql`only_row = 1`))
    .addColumn('id', 'text', c => c.notNull())
    .execute()
}

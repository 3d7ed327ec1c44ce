// What the databases of previews begin with: nothing, or a copy of what production's holds.
import type { Kysely } from 'kysely'

export async function previewData(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('app_databases')
    .addColumn('preview_data', 'text', c => c.notNull().defaultTo('empty'))
    .execute()
}

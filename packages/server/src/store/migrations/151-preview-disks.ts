// What the disks of previews begin with, and which of them still wait for their copy.
import type { Kysely } from 'kysely'

export async function previewDisks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('disks')
    .addColumn('preview_data', 'text', c => c.notNull().defaultTo('empty'))
    .execute()
  await db.schema
    .alterTable('disks')
    .addColumn('awaits_copy', 'integer', c => c.notNull().defaultTo(0))
    .execute()
}

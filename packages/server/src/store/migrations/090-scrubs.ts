// How far each reading of all stored packs is, and which packs it found damaged. Also an index for the list of all accounts.
import type { Kysely } from 'kysely'

export async function scrubs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('scrubs')
    .addColumn('place', 'text', c => c.primaryKey())
    .addColumn('host', 'text', c => c.notNull())
    .addColumn('holder', 'text', c => c.notNull())
    .addColumn('held_until', 'bigint', c => c.notNull())
    .addColumn('began_at', 'bigint')
    .addColumn('read_to', 'text', c => c.notNull())
    .addColumn('packs', 'bigint', c => c.notNull())
    .addColumn('bytes', 'bigint', c => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('last_packs', 'bigint', c => c.notNull())
    .addColumn('last_bytes', 'bigint', c => c.notNull())
    .addColumn('repaired', 'bigint', c => c.notNull())
    .addColumn('seen_at', 'bigint', c => c.notNull())
    .execute()
  await db.schema
    .createTable('damaged_packs')
    .addColumn('place', 'text', c => c.notNull().references('scrubs.place').onDelete('cascade'))
    .addColumn('pack_id', 'text', c => c.notNull())
    .addColumn('damage', 'text', c => c.notNull())
    .addColumn('found_at', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('damaged_packs_key', ['place', 'pack_id'])
    .execute()
  await db.schema.createIndex('accounts_by_age').on('accounts').columns(['created_at', 'id']).execute()
}

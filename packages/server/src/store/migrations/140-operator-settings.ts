// The settings that operators change in the dashboard, sealed.
import type { Kysely } from 'kysely'

export async function operatorSettings(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('operator_settings')
    .addColumn('name', 'text', c => c.primaryKey())
    .addColumn('sealed', 'text', c => c.notNull())
    .addColumn('key_id', 'text', c => c.notNull())
    .addColumn('changed_at', 'bigint', c => c.notNull())
    .execute()
}

// The keys of the lists of backups that only a private key elsewhere can open.
import type { Kysely } from 'kysely'

export async function backupKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('backup_keys')
    .addColumn('place', 'text', c => c.primaryKey())
    .addColumn('sealed', 'text', c => c.notNull())
    .addColumn('key_id', 'text', c => c.notNull())
    .execute()
}

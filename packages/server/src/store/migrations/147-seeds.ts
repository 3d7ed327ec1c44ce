// The command that fills the new database and the new disk of a preview, and when it had succeeded on them.
import type { Kysely } from 'kysely'

export async function seeds(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('deployments').addColumn('seed_command', 'text').execute()
  for (const table of ['app_databases', 'disks'])
    await db.schema.alterTable(table).addColumn('seeded_at', 'bigint').execute()
}

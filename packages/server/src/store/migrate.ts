// Brings a database to the newest schema.
import { Migrator } from 'kysely'
import { migrations } from './migrations.ts'
import type { Db, Engine } from './store.ts'

export async function migrateToLatest(db: Db, engine: Engine): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations(engine) } })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error
  return (results ?? []).filter(r => r.status === 'Success').map(r => r.migrationName)
}

// Brings a database to the newest schema.
import { type MigrationResult, Migrator, sql } from 'kysely'
import { Fault } from '../lib/fault.ts'
import { version } from '../version.ts'
import { troubleOf } from './faults.ts'
import { migrations } from './migrations/index.ts'
import type { Db, Engine } from './store.ts'

/** Whether there is nothing to migrate. Throws if the database does not answer. */
export async function hasLatest(db: Db, engine: Engine): Promise<boolean> {
  try {
    return (await migrationRows(db)).join() === Object.keys(migrations(engine)).join()
  } catch (error) {
    if (troubleOf(error) === 'away') throw error
    return false // The database has no such table yet.
  }
}

export async function migrateToLatest(db: Db, engine: Engine): Promise<string[]> {
  const all = migrations(engine)
  const names = Object.keys(all)
  const executed = await executedMigrations(db)
  if (executed.join() === names.join()) return []
  await requireOlder(db, executed, names)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => all } })
  await closeNumberGap(db, migrator, names)
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw namedFailure(error, results)
  return (results ?? []).filter(r => r.status === 'Success').map(r => r.migrationName)
}

/** Says which migration failed. An error of the whole database stays as it is. */
function namedFailure(error: unknown, results: MigrationResult[] = []): unknown {
  const failed = results.find(result => result.status === 'Error')
  if (!failed || troubleOf(error) !== undefined) return error
  const { message } = error as Error
  return new Fault(
    'internal',
    `The migration ${failed.migrationName} failed, and the database is as before: ${message}`,
    { cause: error },
  )
}

async function migrationRows(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** The migrator looks at every table before it knows that there is nothing to do. Most starts need not wait for that. */
async function executedMigrations(db: Db): Promise<string[]> {
  try {
    return await migrationRows(db)
  } catch {
    return [] // The database has no such table yet. The migrator creates it, or says what is wrong.
  }
}

/** Throws if a newer version of svcd has changed the database. */
async function requireOlder(db: Db, executed: string[], known: string[]): Promise<void> {
  const unknown = executed.filter(name => !isKnown(name, known))
  if (unknown.length === 0) return
  const last = await db.selectFrom('platform').select('version').executeTakeFirst()
  const maker = last?.version && last.version !== version ? `svcd ${last.version}` : 'a newer svcd'
  throw new Fault(
    'unavailable',
    `The database was last used by ${maker} (schema ${unknown.at(-1)}), and this is svcd ${version} (schema ${known.at(-1)}), which cannot read it. Install ${maker} or a later one, or restore a backup from before the upgrade.`,
  )
}

const isKnown = (name: string, known: string[]): boolean =>
  known.includes(name) || known.slice(known.indexOf('009_platform')).some(own => oldName(own) === name)

/** Gives an empty database the schema that another one has after these migrations. */
export async function migrateLike(db: Db, engine: Engine, executed: readonly string[]): Promise<void> {
  requireKnownMigrations(executed)
  const all = migrations(engine)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => all } })
  const { error } = await migrator.migrateTo(Object.keys(all)[executed.length - 1]!)
  if (error) throw error
}

/** Throws if this svcd cannot bring a database with these migrations to its own schema. */
export function requireKnownMigrations(executed: readonly string[]): void {
  if (executed.length === 0) throw new Fault('not_found', 'The database has no tables of svcd.')
  const known = Object.keys(migrations('sqlite'))
  if (executed.every((name, i) => name === known[i] || name === oldName(known[i] ?? ''))) return
  throw new Fault(
    'invalid_request',
    'A newer version of svcd made the database. Install that version and try again.',
  )
}

/**
 * The first releases had no migration 009: a database of theirs knows `009_platform` as `010_platform`, and every later
 * one by a number that is one too high. Each name is changed only if it is still the old one, so several programs may
 * do this at the same time.
 */
async function closeNumberGap(db: Db, migrator: Migrator, names: string[]): Promise<void> {
  const executed = (await migrator.getMigrations()).some(migration => migration.executedAt !== undefined)
  if (!executed) return
  for (const name of names.slice(names.indexOf('009_platform')))
    await sql`update kysely_migration set name = ${name} where name = ${oldName(name)}`.execute(db)
}

const oldName = (name: string): string =>
  String(Number(name.slice(0, 3)) + 1).padStart(3, '0') + name.slice(3)

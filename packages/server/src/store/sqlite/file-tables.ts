// The tables and rows of a database file, for copying them from and to another database.
import type { Connection } from './open.ts'

export interface TableShape {
  name: string
  columns: string[]
}

export type Value = string | number | bigint | null

/** The tables of the schema. Those of the engine and of the migrations are left out. */
export function tablesOf(connection: Connection): TableShape[] {
  const tables = connection
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite!_%' escape '!' and name not like 'kysely!_%' escape '!' order by name",
    )
    .all() as { name: string }[]
  const columns = connection.prepare('select name from pragma_table_info(?) order by cid')
  return tables.map(({ name }) => ({
    name,
    columns: (columns.all(name) as { name: string }[]).map(column => column.name),
  }))
}

/** The names of the migrations that made the schema. Empty if svcd did not make the database. */
export function executedMigrations(connection: Connection): string[] {
  const hasAny = connection
    .prepare("select 1 from sqlite_master where type = 'table' and name = 'kysely_migration'")
    .get()
  if (!hasAny) return []
  const rows = connection.prepare('select name from kysely_migration order by name').all()
  return (rows as { name: string }[]).map(({ name }) => name)
}

/** Reads a table in batches of limited size. Integers are exact. */
export function* rowsOf(connection: Connection, { name, columns }: TableShape): Generator<Value[][]> {
  const select = connection.prepare(`select ${columns.map(quoted).join(', ')} from ${quoted(name)}`)
  select.setReadBigInts(true)
  inUse.add(select)
  try {
    yield* batchesOf(select.iterate() as Iterable<Record<string, Value>>, columns)
  } finally {
    inUse.delete(select)
  }
}

/**
 * The driver's iterators do not keep their statement: once it is garbage-collected, the next row is read from freed memory. So
 * statements are kept here while rows are read.
 */
const inUse = new Set<unknown>()

function* batchesOf(rows: Iterable<Record<string, Value>>, columns: string[]): Generator<Value[][]> {
  let [batch, bytes]: [Value[][], number] = [[], 0]
  for (const row of rows) {
    const values = columns.map(column => row[column]!)
    batch.push(values)
    bytes += sizeOf(values)
    if (batch.length < batchRows && bytes < batchBytes) continue
    yield batch
    ;[batch, bytes] = [[], 0]
  }
  if (batch.length > 0) yield batch
}

export const batchRows = 1000
export const batchBytes = 4 * 1024 ** 2

/** About how much memory the values of a row take. */
export const sizeOf = (values: readonly Value[]): number =>
  values.reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 8), 0)

/** An identifier for SQL text. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

// Opens a database that is all in one file, on this thread: for files that are moved or copied afterwards. A database with a
// write-ahead log has its newest rows in another file, which stays while any connection is open.
import { DatabaseSync } from '@photostructure/sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import type { Db } from '../store.ts'
import type { Tables } from '../tables.ts'
import { type Connection, statements } from './open.ts'

/** The file is created if it does not exist. What is committed is synced. */
export function openSingleFile(file: string): Connection {
  const connection = new DatabaseSync(file)
  connection.exec('pragma journal_mode = delete')
  connection.exec('pragma synchronous = full')
  return connection
}

/** Queries on the connection, for the migrations. */
export function queriesOn(connection: Connection): Db {
  const known = statements(connection)
  const prepare = (sql: string) => {
    const { hasRows, all, run } = known(sql)
    return {
      reader: hasRows,
      all: (parameters: readonly unknown[]) => all(parameters),
      run: (parameters: readonly unknown[]) => ({ changes: run(parameters), lastInsertRowid: 0 }),
      iterate: (parameters: readonly unknown[]) => all(parameters).values(),
    }
  }
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: { prepare, close: () => undefined } }) })
}

// One way to open the database file, for the writer thread and for the readers.
import Database from 'better-sqlite3'

export type Connection = Database.Database

export function openWriter(file: string): Connection {
  const connection = new Database(file, { timeout: 10_000 })
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  // What is deleted is overwritten: the salt of a day that is over, a project's secrets, what was sent to a form.
  connection.pragma('secure_delete = ON')
  return connection
}

export function openReader(file: string): Connection {
  return new Database(file, { readonly: true, fileMustExist: true, timeout: 10_000 })
}

/** Prepared statements by their text; the texts come from the program, so their number is bounded. */
export function statements(connection: Connection): (sql: string) => Database.Statement {
  const known = new Map<string, Database.Statement>()
  return sql => {
    let statement = known.get(sql)
    if (!statement) {
      statement = connection.prepare(sql)
      if (known.size >= 500) known.clear()
      known.set(sql, statement)
    }
    return statement
  }
}

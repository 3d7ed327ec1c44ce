// One way to open the database file, for the writer thread and for the readers.
//
// The driver has the interface of `node:sqlite`, which Node 20 lacks, and brings its compiled part along.
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Durability } from './durability.ts'

export type Connection = DatabaseSyncInstance

const waitForLockMs = 10_000

export function openWriter(file: string, { synchronous }: Durability): Connection {
  const connection = new DatabaseSync(file, { timeout: waitForLockMs })
  switchToWal(connection)
  connection.exec(`pragma synchronous = ${synchronous}`)
  connection.exec('pragma foreign_keys = ON')
  // What is deleted is overwritten: the salt of a day that is over, a project's secrets, what was sent to a form.
  connection.exec('pragma secure_delete = ON')
  return connection
}

/**
 * A new file becomes a WAL database only while nobody else has it open. The engine does not wait for that by itself, and
 * edge workers and commands such as `svcd users` may open a new file at the same moment. This blocks the calling thread.
 */
function switchToWal(connection: Connection): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  for (const deadline = Date.now() + waitForLockMs; ; Atomics.wait(sleeper, 0, 0, 10)) {
    try {
      withNamedErrors(() => connection.exec('pragma journal_mode = WAL'))
      return
    } catch (error) {
      if ((error as SqliteError).code !== 'SQLITE_BUSY' || Date.now() > deadline) throw error
    }
  }
}

export function openReader(file: string): Connection {
  return new DatabaseSync(file, { readOnly: true, timeout: waitForLockMs })
}

/** A statement that was prepared once and runs with other parameters each time. */
interface Statement {
  /** True for a statement that answers with rows: a select, a pragma, or a write with `returning`. */
  readonly hasRows: boolean
  all(parameters: readonly unknown[]): unknown[]
  /** Returns how many rows it changed. */
  run(parameters: readonly unknown[]): number
}

/** Prepared statements by their text; the texts come from the program, so their number is bounded. */
export function statements(connection: Connection): (sql: string) => Statement {
  const known = new Map<string, Statement>()
  return sql => {
    let statement = known.get(sql)
    if (!statement) {
      statement = prepare(connection, sql)
      if (known.size >= 500) known.clear()
      known.set(sql, statement)
    }
    return statement
  }
}

function prepare(connection: Connection, sql: string): Statement {
  const statement = withNamedErrors(() => connection.prepare(sql))
  return {
    hasRows: statement.columns().length > 0,
    all: parameters => withNamedErrors(() => statement.all(...parameters)),
    run: parameters => withNamedErrors(() => Number(statement.run(...parameters).changes)),
  }
}

/** An error of the engine, with its code (`SQLITE_FULL`, …). */
export class SqliteError extends Error {
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.name = 'SqliteError'
    this.code = code
  }
}

/** The result codes that this program acts on; an extended code has the primary one in its lowest byte. */
const codeNames: Record<number, string> = {
  5: 'SQLITE_BUSY',
  10: 'SQLITE_IOERR',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
}

function withNamedErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    if (errcode === undefined) throw error
    throw new SqliteError(message, codeNames[errcode] ?? codeNames[errcode & 0xff] ?? `SQLITE_${errcode}`)
  }
}

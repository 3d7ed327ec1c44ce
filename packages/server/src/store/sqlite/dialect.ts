// Kysely on SQLite with two connections, reads in place and everything else on the writer thread; or with one that reads
// on a thread of its own.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { AsideThread } from './aside-thread.ts'
import type { StatementResult } from './messages.ts'
import { type Connection, statements } from './open.ts'
import type { Writer } from './writer.ts'

/** SQLite's schema changes are transactional, so a migration that is cut off leaves nothing behind. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

export function sqliteDialect(writer: Writer, reader: Connection): Dialect {
  const prepare = statements(reader)
  return dialectWith(new SqliteDriver(() => new SqliteConnection(writer, prepare)))
}

/** For reads only. They run on another thread and do not block this one. */
export function readAsideDialect(thread: AsideThread): Dialect {
  return dialectWith(new SqliteDriver(() => new AsideConnection(thread)))
}

const dialectWith = (driver: Driver): Dialect => ({
  createAdapter: () => new TransactionalSqliteAdapter(),
  createDriver: () => driver,
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})

type Prepare = ReturnType<typeof statements>

class SqliteConnection implements DatabaseConnection {
  readonly #writer: Writer
  readonly #prepare: Prepare
  #release: (() => void) | undefined
  #transaction: 'none' | 'to begin' | 'under way' | 'failed' = 'none'

  constructor(writer: Writer, prepare: Prepare) {
    this.#writer = writer
    this.#prepare = prepare
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#transaction !== 'none') return this.#run(query)
    if (query.query.kind === 'SelectQueryNode')
      return { rows: this.#prepare(query.sql).all(query.parameters) as R[] }
    const release = await this.#writer.lock()
    try {
      return await this.#run(query)
    } finally {
      release()
    }
  }

  streamQuery = noStream

  async begin(): Promise<void> {
    this.#release = await this.#writer.lock()
    this.#transaction = 'to begin'
  }

  async end(statement: 'commit' | 'rollback'): Promise<void> {
    // Kysely rolls back after a failed commit too; by then the writer may be someone else's.
    if (!this.#release) return
    try {
      if (statement === 'commit' && this.#transaction !== 'to begin') await this.#write('commit', [])
    } finally {
      // A failed commit may leave the transaction open; the next one must not find it.
      if (statement === 'rollback' || this.#transaction === 'failed') await this.#rollBack()
      this.#release()
      this.#release = undefined
      this.#transaction = 'none'
    }
  }

  async #run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const answer = await this.#write(query.sql, query.parameters)
    if (answer.rows) return { rows: answer.rows as R[] }
    return { rows: [], numAffectedRows: BigInt(answer.affected ?? 0) }
  }

  async #rollBack(): Promise<void> {
    if (this.#transaction === 'to begin') return
    // Fails where the engine rolled back by itself, or where it could not begin: nothing is open then.
    await this.#writer.execute('rollback', []).catch(() => undefined)
  }

  async #write(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    // As on PostgreSQL: what follows a failed statement would be half of a transaction.
    if (this.#transaction === 'failed') throw new Error('the transaction has failed already')
    const begins = this.#transaction === 'to begin'
    if (begins) this.#transaction = 'under way'
    try {
      return await this.#writer.execute(sql, parameters, begins)
    } catch (error) {
      if (this.#transaction !== 'none') this.#transaction = 'failed'
      throw error
    }
  }
}

class AsideConnection implements DatabaseConnection {
  readonly #thread: AsideThread

  constructor(thread: AsideThread) {
    this.#thread = thread
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows = [] } = await this.#thread.execute(sql, parameters)
    return { rows: rows as R[] }
  }

  streamQuery = noStream
}

class SqliteDriver implements Driver {
  readonly #connect: () => DatabaseConnection

  constructor(connect: () => DatabaseConnection) {
    this.#connect = connect
  }

  init = async (): Promise<void> => undefined
  acquireConnection = async (): Promise<DatabaseConnection> => this.#connect()
  beginTransaction = (connection: DatabaseConnection) => (connection as SqliteConnection).begin()
  commitTransaction = (connection: DatabaseConnection) => (connection as SqliteConnection).end('commit')
  rollbackTransaction = (connection: DatabaseConnection) => (connection as SqliteConnection).end('rollback')
  releaseConnection = async (): Promise<void> => undefined
  destroy = async (): Promise<void> => undefined
}

function noStream(): never {
  throw new Error('streaming rows is not supported on SQLite')
}

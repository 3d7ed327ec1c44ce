// Kysely on SQLite with two connections: reads in place, everything else on the writer thread.
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
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => new SqliteDriver(writer, prepare),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

type Prepare = ReturnType<typeof statements>

class SqliteConnection implements DatabaseConnection {
  readonly #writer: Writer
  readonly #prepare: Prepare
  #release: (() => void) | undefined

  constructor(writer: Writer, prepare: Prepare) {
    this.#writer = writer
    this.#prepare = prepare
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#release) return this.#write(query)
    if (query.query.kind === 'SelectQueryNode')
      return { rows: this.#prepare(query.sql).all(...query.parameters) as R[] }
    const release = await this.#writer.lock()
    try {
      return await this.#write(query)
    } finally {
      release()
    }
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for the method; nothing here streams rows
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming rows is not supported on SQLite')
  }

  async begin(): Promise<void> {
    const release = await this.#writer.lock()
    try {
      await this.#writer.execute('begin immediate', [])
      this.#release = release
    } catch (error) {
      release()
      throw error
    }
  }

  async end(statement: 'commit' | 'rollback'): Promise<void> {
    // Kysely rolls back after a failed commit too; by then the writer may be someone else's.
    if (!this.#release) return
    try {
      await this.#writer.execute(statement, [])
    } catch (error) {
      // A failed commit may leave the transaction open; the next one must not find it.
      if (statement === 'commit') await this.#writer.execute('rollback', []).catch(() => undefined)
      throw error
    } finally {
      this.#release?.()
      this.#release = undefined
    }
  }

  async #write<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const answer = await this.#writer.execute(query.sql, query.parameters)
    if (answer.rows) return { rows: answer.rows as R[] }
    return { rows: [], numAffectedRows: BigInt(answer.affected ?? 0) }
  }
}

class SqliteDriver implements Driver {
  readonly #writer: Writer
  readonly #prepare: Prepare

  constructor(writer: Writer, prepare: Prepare) {
    this.#writer = writer
    this.#prepare = prepare
  }

  init = async (): Promise<void> => undefined
  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#writer, this.#prepare)
  }
  beginTransaction = (connection: DatabaseConnection) => (connection as SqliteConnection).begin()
  commitTransaction = (connection: DatabaseConnection) => (connection as SqliteConnection).end('commit')
  rollbackTransaction = (connection: DatabaseConnection) => (connection as SqliteConnection).end('rollback')
  releaseConnection = async (): Promise<void> => undefined
  destroy = async (): Promise<void> => undefined
}

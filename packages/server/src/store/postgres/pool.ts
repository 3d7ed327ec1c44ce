// Connections to PostgreSQL with limits: a query on a database that does not answer fails instead of waiting for ever.
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'

export interface PostgresLimits {
  /** Connections of this process for queries. The change feed has one more. */
  connections: number
  connectMs: number
  /** How long a statement may run. */
  statementMs: number
  /** How long a statement waits for a row or table that another transaction has locked. */
  lockMs: number
}

export const defaultLimits: PostgresLimits = {
  connections: 10,
  connectMs: 5_000,
  statementMs: 30_000,
  lockMs: 10_000,
}

/** PostgreSQL ends a statement itself. If its answer does not come either, the connection is given up after this. */
const answerMs = 2_000

/** The connection was lost, or never made. The statement may have run or not. */
class ConnectionLost extends Error {
  readonly code = 'DATABASE_AWAY'
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : 'The database does not answer.', { cause })
    this.name = 'ConnectionLost'
  }
}

const int8 = 20

/** 64-bit integers are milliseconds and byte counts, which a number represents exactly. */
const types = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

type Log = (message: string, error: unknown) => void

/** The pool as Kysely uses it. */
export class LimitedPool implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #inUse = new Set<pg.PoolClient>()
  #isAway = false

  constructor(url: string, limits: PostgresLimits, log: Log) {
    this.#pool = new pg.Pool({
      connectionString: url,
      types,
      max: limits.connections,
      keepAlive: true,
      connectionTimeoutMillis: limits.connectMs,
      statement_timeout: limits.statementMs,
      lock_timeout: limits.lockMs,
      query_timeout: limits.statementMs && limits.statementMs + answerMs,
    })
    // The pool listens only while a connection is idle, and an error without a listener would end the process.
    this.#pool.on('connect', client => client.on('error', error => log('a database connection broke', error)))
    this.#pool.on('error', () => undefined)
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#isAway) throw new ConnectionLost(new Error('The database does not answer.'))
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw connectionError(error)
    })
    this.#inUse.add(client)
    let isLost = false
    const query = async (sql: string, parameters: readonly unknown[]) => {
      try {
        return await client.query(sql, parameters as unknown[])
      } catch (error) {
        const thrown = connectionError(error)
        isLost ||= thrown instanceof ConnectionLost
        throw thrown
      }
    }
    return {
      query: query as unknown as PostgresPoolClient['query'],
      release: () => {
        if (this.#inUse.delete(client)) client.release(isLost)
      },
    }
  }

  /** While the database is away, queries fail at once: those under way, and new ones. */
  setAway(isAway: boolean): void {
    this.#isAway = isAway
    if (isAway) for (const client of this.#inUse) disconnect(client)
  }

  /** May be called again: Kysely ends only a pool that it has used. */
  async end(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end()
  }
}

/** What pg reports without a code of PostgreSQL is about the connection, not about the statement. */
export function connectionError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) return isGone(error.code) ? new ConnectionLost(error) : error
  const isOfProgram = error instanceof TypeError || error instanceof RangeError
  return isOfProgram ? error : new ConnectionLost(error)
}

/** The database starts, stops, or is a standby that takes no writes. */
const isGone = (code = ''): boolean => code.startsWith('57P') || code === '25006'

function disconnect(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}

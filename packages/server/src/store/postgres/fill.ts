// Copies a database file into an empty PostgreSQL database, in one transaction.
import type pg from 'pg'
import { Fault } from '../../lib/fault.ts'
import { CommitUnknown } from '../commit-unknown.ts'
import {
  quoted,
  rowsOf,
  type TableShape,
  tablesOf as tablesOfFile,
  type Value,
} from '../sqlite/file-tables.ts'
import { openReader } from '../sqlite/open.ts'
import { connect, tablesOf } from './connect.ts'
import { openPostgres } from './store.ts'

/** The number of the lock that keeps two restores into one database apart. */
const restoreLock = 0x73766364

/** Migrations add a first row to this table. */
const startsWithRows = 'counters'

/** A database that a restore fills. Until `close`, no other restore can use it. */
export class PostgresTarget {
  readonly #url: string
  readonly #client: pg.Client

  private constructor(url: string, client: pg.Client) {
    this.#url = url
    this.#client = client
  }

  static async open(url: string): Promise<PostgresTarget> {
    const client = await connect(url)
    const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [restoreLock])
    if (rows[0].locked) return new PostgresTarget(url, client)
    await client.end()
    throw new Fault('unavailable', 'Another restore into this database is under way. Wait until it is done.')
  }

  /** Whether the database holds the platform with this id. */
  async holds(platform: string | undefined): Promise<boolean> {
    if (platform === undefined || !(await tablesOf(this.#client)).includes('platform')) return false
    const { rowCount } = await this.#client.query('select 1 from platform where id = $1', [platform])
    return rowCount === 1
  }

  /** Throws if the database holds any rows, or tables that svcd did not make. */
  async requireEmpty(): Promise<void> {
    const names = await tablesOf(this.#client)
    if (names.length > 0 && !names.includes('kysely_migration')) throw notEmpty(names[0]!)
    for (const name of names) {
      if (name.startsWith('kysely_') || name === startsWithRows) continue
      const { rowCount } = await this.#client.query(`select 1 from ${quoted(name)} limit 1`)
      if (rowCount) throw notEmpty(name)
    }
  }

  /** All or nothing: if this fails, the database is as empty as before. `file` must have the newest schema. */
  async fill(file: string): Promise<void> {
    await this.#migrate()
    const source = openReader(file)
    try {
      await this.#client.query('begin')
      await this.#copy(tablesOfFile(source), table => rowsOf(source, table))
    } catch (error) {
      await this.#client.query('rollback').catch(() => undefined)
      throw error
    } finally {
      source.close()
    }
    await this.#commit()
  }

  async close(): Promise<void> {
    await this.#client.end()
  }

  async #migrate(): Promise<void> {
    const store = await openPostgres(this.#url, () => undefined)
    try {
      await store.migrate()
    } finally {
      await store.close()
    }
  }

  async #copy(tables: TableShape[], rowsIn: (table: TableShape) => Iterable<Value[][]>): Promise<void> {
    const client = this.#client
    const names = tables.map(({ name }) => quoted(name)).join(', ')
    // A server that starts now waits here until the data is complete.
    await client.query(`lock table ${names} in access exclusive mode`)
    await this.requireEmpty()
    await client.query(`delete from ${quoted(startsWithRows)}`)
    // Tables refer to each other, so references are checked when all rows are there.
    const references = await this.#references()
    for (const each of references) await client.query(`${each} deferrable initially deferred`)
    for (const table of tables) await this.#copyTable(table, rowsIn(table))
    await this.#moveSequences()
    await asDataProblem('references', () => client.query('set constraints all immediate'))
    for (const each of references) await client.query(`${each} not deferrable`)
  }

  async #copyTable(table: TableShape, batches: Iterable<Value[][]>): Promise<void> {
    const types = await this.#columnTypes(table)
    const arrays = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ')
    const listed = table.columns.map(quoted).join(', ')
    const text = `insert into ${quoted(table.name)} (${listed}) select * from unnest(${arrays})`
    for (const rows of batches) {
      const values = types.map((_, i) => rows.map(row => withoutNul(row[i]!)))
      await asDataProblem(table.name, () => this.#client.query(text, values))
    }
  }

  /** In the order of the file's columns, which a table that was altered may have in another order here. */
  async #columnTypes({ name, columns }: TableShape): Promise<string[]> {
    const { rows } = await this.#client.query(
      'select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped',
      [quoted(name)],
    )
    const types = new Map(rows.map(row => [row.name as string, row.type as string]))
    return columns.map(column => {
      const type = types.get(column)
      if (type === undefined) throw badData(`${name}.${column} is unknown`)
      return type
    })
  }

  /** The statements that alter each foreign key, without what they alter. */
  async #references(): Promise<string[]> {
    const { rows } = await this.#client.query(
      "select conrelid::regclass::text as name, quote_ident(conname) as key from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace",
    )
    return rows.map(({ name, key }) => `alter table ${name} alter constraint ${key}`)
  }

  /** The next row gets a number after the highest of the copied ones. */
  async #moveSequences(): Promise<void> {
    const { rows } = await this.#client.query(
      `select quote_ident(relname) as name, quote_ident(attname) as number, pg_get_serial_sequence(quote_ident(relname), attname) as sequence
       from pg_class join pg_attribute on attrelid = pg_class.oid
       where relnamespace = current_schema()::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
         and pg_get_serial_sequence(quote_ident(relname), attname) is not null`,
    )
    for (const { name, number, sequence } of rows)
      await this.#client.query(`select setval($1, coalesce(max(${number}), 0) + 1, false) from ${name}`, [
        sequence,
      ])
  }

  async #commit(): Promise<void> {
    try {
      await this.#client.query(
        "select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'",
      )
      await this.#client.query('commit')
    } catch (cause) {
      throw new CommitUnknown(cause)
    }
  }
}

/** PostgreSQL's text cannot hold this character. */
const withoutNul = (value: Value): Value =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '') : value

const notEmpty = (table: string): Fault =>
  new Fault(
    'name_taken',
    `The database of SVCD_DATABASE_URL is not empty (table ${table}). Create an empty database and set SVCD_DATABASE_URL to it.`,
  )

const badData = (what: string, cause?: unknown): Fault =>
  new Fault('invalid_archive', `The database of the backup is damaged (${what}).`, { cause })

/** Errors of the classes 22 and 23 say that a value or a reference is wrong. The message could show values. */
async function asDataProblem(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { code, table } = error as { code?: string; table?: string }
    throw /^2[23]/.test(String(code)) ? badData(`${table ?? what}, ${code}`, error) : error
  }
}

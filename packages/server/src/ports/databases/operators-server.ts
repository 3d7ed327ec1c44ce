// Databases on a PostgreSQL server that the operator names in SVCD_APPS_POSTGRES_URL.
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import pg from 'pg'
import { Administration } from './administration.ts'
import { type DumpTools, dump, restore } from './dumps.ts'
import { noSandbox } from './own/launch.ts'
import { findPrograms } from './own/programs.ts'
import type {
  AppDatabase,
  DatabaseAddress,
  DatabaseMode,
  Databases,
  RowsAsked,
  SignedIn,
  SlowStatement,
} from './port.ts'
import { reading } from './reading/session.ts'
import { listTables, readRows } from './reading/tables.ts'
import { loginOf, ownName, signIn } from './sign-in.ts'

interface OperatorsServerSettings {
  /** With the name and the password of a role that may create roles and databases. */
  url: string
  connections: number
  /** The directory of pg_dump and pg_restore. `undefined`: those of the system. */
  programs: string | undefined
  /** Where apps see the directory of the socket, if the URL names one. */
  socketAt: (dir: string) => string
}

const connectMs = 10_000

const remedy =
  "The database server does not measure statements. Its operator can add pg_stat_statements to shared_preload_libraries, start the server anew, and run 'create extension pg_stat_statements' in the database that SVCD_APPS_POSTGRES_URL names."

export class OperatorsDatabases implements Databases {
  readonly connectionsAtMost: number
  readonly #settings: OperatorsServerSettings
  readonly #administration: Administration

  constructor(settings: OperatorsServerSettings) {
    this.#settings = settings
    this.connectionsAtMost = settings.connections
    this.#administration = new Administration(database => this.#connect(database))
  }

  async start(): Promise<void> {
    await (await this.#connect()).end()
  }

  address(): DatabaseAddress {
    const { host, port } = placeOf(this.#settings.url)
    if (!path.isAbsolute(host)) return { host, port, socketDir: undefined }
    return { host: this.#settings.socketAt(host), port, socketDir: host }
  }

  ensure = (database: AppDatabase) => this.#administration.ensure(database)
  setMode = (name: string, mode: DatabaseMode) => this.#administration.setMode(name, mode)
  forgetStatistics = (name: string) => this.#administration.forgetStatistics(name)
  remove = (name: string) => this.#administration.remove(name)
  list = () => this.#administration.list()
  queries = (name: string) => this.#administration.queries(name)
  signal = (name: string, processId: number, what: 'end' | 'cancel') =>
    this.#administration.signal(name, processId, what)
  endLong = () => this.#administration.endLong()

  async dump(database: AppDatabase, output: Writable): Promise<void> {
    await this.#administration.withGuest(database, guest => dump(this.#tools(), database.name, guest, output))
  }

  async restore(database: AppDatabase, dump: Readable, signal?: AbortSignal): Promise<void> {
    await restore(this.#tools(), database, { dump, signal })
  }

  async signIn(database: AppDatabase, parameters: Record<string, string>): Promise<SignedIn> {
    return await signIn(this.#clientAs(database, parameters))
  }

  tables = (database: AppDatabase) => this.#reading(database, listTables)
  rows = (database: AppDatabase, asked: RowsAsked) =>
    this.#reading(database, client => readRows(client, asked))

  #reading<T>(database: AppDatabase, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const end = (processId: number) => this.signal(database.name, processId, 'end')
    return reading(this.#clientAs(database, ownName), end, work)
  }

  /** Signed in as the role of the database. */
  #clientAs(database: AppDatabase, parameters: Record<string, string>): pg.Client {
    const { user, password, ...more } = loginOf(database, parameters)
    const url = new URL(this.#settings.url)
    url.username = user
    url.password = password
    // Those of the administrator, which would count instead.
    for (const name of ['user', 'password']) url.searchParams.delete(name)
    return this.#client(url, more)
  }

  async slowStatements(name: string): Promise<{ statements: SlowStatement[]; remedy?: string }> {
    const statements = await this.#administration.slowStatements(name)
    return statements ? { statements } : { statements: [], remedy }
  }

  /** The server is the operator's, and no connection stays open. */
  close = async (): Promise<void> => undefined

  /** They run as svcd's user, without a sandbox, because they need the network. */
  #tools(): DumpTools {
    const bin = findPrograms('', this.#settings.programs)?.bin ?? '/usr/bin'
    const { host, port } = placeOf(this.#settings.url)
    return { bin, launcher: noSandbox, host, port }
  }

  async #connect(database?: string): Promise<pg.Client> {
    const url = new URL(this.#settings.url)
    const client = this.#client(url, { database, application_name: 'svcd' })
    await client.connect()
    return client
  }

  #client(url: URL, { database, ...more }: pg.ClientConfig): pg.Client {
    if (database !== undefined) url.pathname = `/${database}`
    const client = new pg.Client({
      connectionString: url.href,
      connectionTimeoutMillis: connectMs,
      ...more,
    })
    client.on('error', () => undefined) // The next statement fails and says so.
    return client
  }
}

/** The parameter `host` names the directory of a socket, as in libpq. */
function placeOf(text: string): { host: string; port: number } {
  const url = new URL(text)
  return { host: url.searchParams.get('host') ?? url.hostname, port: Number(url.port || 5432) }
}

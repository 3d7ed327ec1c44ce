// Databases on the PostgreSQL server that svcd starts itself. Apps reach it by a socket that their sandbox shows.
import type { Readable, Writable } from 'node:stream'
import type pg from 'pg'
import { Fault } from '../../lib/fault.ts'
import { Administration } from './administration.ts'
import { dump, restore } from './dumps.ts'
import { ArchiveKeeper, type ArchiveSettings } from './own/archive/keeper.ts'
import { endRecovery, recoverAside } from './own/archive/recover.ts'
import { ArchiveRecord } from './own/archive/state.ts'
import { noSandbox, openLauncher } from './own/launch.ts'
import { OwnServer, type OwnServerSettings, port } from './own/server.ts'
import type {
  AppDatabase,
  ArchiveState,
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

/** Projects fill the file with long statements, and it counts in the size of none. */
const statementBytes = 64 * 1024 * 1024

const remedy =
  'The database server does not measure statements. Its operator can install pg_stat_statements (Debian: apt-get install postgresql-contrib) and restart svcd.'

export class OwnDatabases implements Databases {
  readonly connectionsAtMost: number
  readonly #server: OwnServer
  readonly #administration: Administration
  readonly #address: DatabaseAddress
  readonly #settings: OwnServerSettings
  readonly #archive: ArchiveSettings | undefined
  readonly #keeper: ArchiveKeeper | undefined
  readonly #record: ArchiveRecord

  constructor(
    settings: OwnServerSettings,
    address: Pick<DatabaseAddress, 'host' | 'socketDir'>,
    archive?: ArchiveSettings,
  ) {
    this.#settings = { ...settings, archives: archive !== undefined }
    this.#archive = archive
    this.connectionsAtMost = settings.connections
    this.#server = new OwnServer(this.#settings)
    this.#administration = new Administration(database => this.#server.connect(database))
    this.#address = { ...address, port }
    this.#record = new ArchiveRecord(settings.dir)
    this.#keeper = archive && new ArchiveKeeper(archive, this.#server, this.#record)
  }

  start = (): Promise<void> => this.#server.start()
  address = (): DatabaseAddress => this.#address
  ensure = (database: AppDatabase) => this.#administration.ensure(database)
  setMode = (name: string, mode: DatabaseMode) => this.#administration.setMode(name, mode)
  forgetStatistics = (name: string) => this.#administration.forgetStatistics(name)
  remove = (name: string) => this.#administration.remove(name)
  list = () => this.#administration.list()
  queries = (name: string) => this.#administration.queries(name)
  signal = (name: string, processId: number, what: 'end' | 'cancel') =>
    this.#administration.signal(name, processId, what)

  async slowStatements(name: string): Promise<{ statements: SlowStatement[]; remedy?: string }> {
    await this.#administration.installStatements()
    const statements = await this.#administration.slowStatements(name)
    return statements ? { statements } : { statements: [], remedy }
  }

  async endLong(): Promise<number> {
    this.#server.trimLog()
    if (this.#server.statementBytes() > statementBytes) await this.#administration.forgetStatements()
    return await this.#administration.endLong()
  }

  async dump(database: AppDatabase, output: Writable): Promise<void> {
    await this.#server.start()
    const { programs, socketDir: host } = await this.#server.cluster()
    const tools = { bin: programs.bin, launcher: noSandbox, host, port }
    await this.#administration.withGuest(database, guest => dump(tools, database.name, guest, output))
  }

  async restore(database: AppDatabase, dump: Readable, signal?: AbortSignal): Promise<void> {
    await this.#server.start()
    const { machine, programs, socketDir } = await this.#server.cluster()
    // A dump may come from anywhere.
    const launcher = await openLauncher(machine, programs, { socketDir })
    const tools = { bin: programs.bin, launcher, host: launcher.inside.socketDir, port }
    await restore(tools, database, { dump, signal })
  }

  /** `undefined` without an archive. */
  get archiveLog(): (() => Promise<void>) | undefined {
    const keeper = this.#keeper
    return keeper && (() => keeper.look())
  }

  async archiveState(): Promise<ArchiveState | undefined> {
    return this.#archive && (await this.#record.state(this.#archive.folder))
  }

  endRecovery = (): Promise<void> => endRecovery(this.#settings)

  /** Writes a dump of the database as it was at the time. The server goes on meanwhile. */
  async dumpAt(database: AppDatabase, at: number, output: Writable): Promise<void> {
    if (!this.#keeper || !this.#archive)
      throw new Error('there is no archive: set SVCD_APPS_POSTGRES_ARCHIVE')
    await this.#server.start()
    // Twice: what is written at a moment may be in the segment after it.
    for (const _ of [1, 2]) await this.#keeper.endSegment()
    await this.#keeper.copyLog()
    try {
      const settings = await recoverAside(this.#settings, { folder: this.#archive.folder, at })
      const aside = new OwnDatabases(settings, { host: '', socketDir: undefined })
      const names = (await aside.list()).map(({ name }) => name)
      if (!names.includes(database.name))
        throw new Fault('not_found', 'The database did not exist at that time.')
      await aside.dump(database, output)
    } finally {
      await this.endRecovery()
    }
  }

  async signIn(database: AppDatabase, parameters: Record<string, string>): Promise<SignedIn> {
    await this.#server.start()
    return await signIn(await this.#server.clientOf(loginOf(database, parameters)))
  }

  tables = (database: AppDatabase) => this.#reading(database, listTables)
  rows = (database: AppDatabase, asked: RowsAsked) =>
    this.#reading(database, client => readRows(client, asked))

  async #reading<T>(database: AppDatabase, work: (client: pg.Client) => Promise<T>): Promise<T> {
    await this.#server.start()
    const client = await this.#server.clientOf(loginOf(database, ownName))
    return await reading(client, processId => this.signal(database.name, processId, 'end'), work)
  }

  async close({ keepsServer = false }: { keepsServer?: boolean | 'as it was' } = {}): Promise<void> {
    await this.#keeper?.close()
    if (keepsServer === 'as it was' ? this.#server.wasStarted : !keepsServer) await this.#server.stop()
  }
}

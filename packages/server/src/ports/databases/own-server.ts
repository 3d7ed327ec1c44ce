// Databases on the PostgreSQL server that svcd starts itself. Apps reach it by a socket that their sandbox shows.
import type { Readable, Writable } from 'node:stream'
import { Administration } from './administration.ts'
import { dump, restore } from './dumps.ts'
import { noSandbox, openLauncher } from './own/launch.ts'
import { OwnServer, type OwnServerSettings, port } from './own/server.ts'
import type { AppDatabase, DatabaseAddress, DatabaseMode, Databases, SignedIn } from './port.ts'
import { loginOf, signIn } from './sign-in.ts'

export class OwnDatabases implements Databases {
  readonly connectionsAtMost: number
  readonly #server: OwnServer
  readonly #administration: Administration
  readonly #address: DatabaseAddress

  constructor(settings: OwnServerSettings, address: Pick<DatabaseAddress, 'host' | 'socketDir'>) {
    this.connectionsAtMost = settings.connections
    this.#server = new OwnServer(settings)
    this.#administration = new Administration(database => this.#server.connect(database))
    this.#address = { ...address, port }
  }

  start = (): Promise<void> => this.#server.start()
  address = (): DatabaseAddress => this.#address
  ensure = (database: AppDatabase) => this.#administration.ensure(database)
  setMode = (name: string, mode: DatabaseMode) => this.#administration.setMode(name, mode)
  remove = (name: string) => this.#administration.remove(name)
  list = () => this.#administration.list()
  queries = (name: string) => this.#administration.queries(name)
  signal = (name: string, processId: number, what: 'end' | 'cancel') =>
    this.#administration.signal(name, processId, what)

  async endLong(): Promise<number> {
    this.#server.trimLog()
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

  async signIn(database: AppDatabase, parameters: Record<string, string>): Promise<SignedIn> {
    await this.#server.start()
    return await signIn(await this.#server.clientOf(loginOf(database, parameters)))
  }

  async close({ keepsServer = false }: { keepsServer?: boolean | 'as it was' } = {}): Promise<void> {
    if (keepsServer === 'as it was' ? this.#server.wasStarted : !keepsServer) await this.#server.stop()
  }
}

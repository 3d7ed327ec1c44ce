// Connections to a database from outside, as of psql on a laptop. The caller's token opens them, svcd signs in as the role of the
// database, and the client learns no password. They count with the connections of the role.
import { limits } from '@svc/contract'
import { hourMs, minuteMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { type Hello, readHello, refusal, welcome } from '../../lib/postgres-protocol.ts'
import { type Databases, type SignedIn, SignInRefused } from '../../ports/databases/port.ts'
import type { AppDatabaseRow } from '../../store/databases/rows.ts'
import { lockProject } from '../../store/projects/projects.ts'
import { audit } from '../base/audit.ts'
import type { ByteTunnel } from '../base/byte-tunnel.ts'
import type { Caller } from '../base/caller.ts'
import type { DatabaseParts } from '../base/platform.ts'
import { requireNotSuspended } from '../base/suspension.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { startedServer } from './databases.ts'
import { openRow } from './open-row.ts'
import { enter, type Opened, requireRoom } from './open-tunnels.ts'
import { openDatabase } from './password.ts'

/** Shorter than the time after which proxies give up on a silent connection. */
const signOfLifeMs = 10_000
const helloWithinMs = 10_000
/** How long a session may take to end with its client, before it is ended. */
const endsWithinMs = 2_000
interface Asked {
  branch: string | undefined
  confirmRights: () => Promise<void>
}

export async function openTunnel(
  platform: DatabaseParts,
  caller: Caller,
  project: ProjectScope,
  { branch, confirmRights }: Asked,
): Promise<(tunnel: ByteTunnel) => Promise<void>> {
  const row = await openRow(platform, project, branch)
  const opened = { projectId: project.id, accountId: caller.account.id }
  requireRoom(opened)
  const server = await startedServer(platform)
  const begin = () => recordUse(platform, caller, project, branch)
  const mayGoOn = async () => {
    await confirmRights()
    await requireNotSuspended(platform.store.db, project.id)
  }
  return tunnel => new Tunnel(platform, server, row, tunnel).serve(opened, begin, mayGoOn)
}

function recordUse(
  platform: DatabaseParts,
  caller: Caller,
  project: ProjectScope,
  branch: string | undefined,
) {
  return platform.store.transact(async tx => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    await audit(platform, tx, caller, {
      ...{ action: 'database.connect', project },
      ...(branch !== undefined && { details: { branch } }),
    })
  })
}

class Tunnel {
  readonly #platform: DatabaseParts
  readonly #server: Databases
  readonly #row: AppDatabaseRow
  readonly #client: ByteTunnel
  #session: SignedIn | undefined
  #isOver = false

  constructor(platform: DatabaseParts, server: Databases, row: AppDatabaseRow, client: ByteTunnel) {
    this.#platform = platform
    this.#server = server
    this.#row = row
    this.#client = client
  }

  /** Resolves when it is over. */
  async serve(opened: Opened, begin: () => Promise<void>, mayGoOn: () => Promise<void>): Promise<void> {
    let leave: () => void
    try {
      // Others may have begun since the request was answered.
      leave = enter(opened)
    } catch (error) {
      return this.#client.end((error as Fault).message)
    }
    this.#beat(mayGoOn, this.#platform.clock.now())
    try {
      const hello = await this.#hello()
      if (hello?.kind === 'cancel') await this.#server.signal(this.#row.id, hello.processId, 'cancel')
      if (hello?.kind === 'start' && (await this.#signIn(hello, begin))) await this.#carry()
    } finally {
      this.#isOver = true
      leave()
    }
  }

  async #hello(): Promise<Hello | undefined> {
    try {
      return await readHello(this.#client.bytes, this.#platform.clock.timeout(helloWithinMs))
    } catch (error) {
      this.#client.end((error as Error).message)
      return undefined
    }
  }

  async #signIn(hello: Hello & { kind: 'start' }, begin: () => Promise<void>): Promise<boolean> {
    try {
      if (hello.parameters.replication !== undefined)
        throw new Fault('forbidden', 'A role of a project cannot replicate.')
      await begin()
      this.#session = await this.#server.signIn(openDatabase(this.#platform, this.#row), hello.parameters)
      this.#client.bytes.write(welcome(hello, this.#session))
      return true
    } catch (error) {
      this.#client.bytes.write(refusalFor(error))
      if (!(error instanceof Fault || error instanceof SignInRefused)) throw error
      return false
    }
  }

  /** Passes the bytes on in both directions, until one side ends. */
  async #carry(): Promise<void> {
    const { bytes: server, processId } = this.#session!
    const { bytes: client } = this.#client
    const over = new Promise<void>(resolve => server.once('close', resolve))
    this.#client.gone.then(() => {
      // The server sees that a client has left only when it next writes to it.
      this.#platform.clock.timeout(endsWithinMs).addEventListener('abort', () => {
        if (server.closed) return
        this.#server.signal(this.#row.id, processId, 'end').catch(() => undefined)
        server.destroy()
      })
    })
    client.pipe(server)
    server.pipe(client)
    await over
  }

  /** Looks now and then whether it may go on. */
  #beat(mayGoOn: () => Promise<void>, quietSince: number, begunAt = quietSince, bytesBefore = 0): void {
    const { clock } = this.#platform
    clock.timeout(signOfLifeMs).addEventListener('abort', async () => {
      if (this.#isOver) return
      this.#client.ping()
      const now = clock.now()
      const bytes = (this.#session?.bytes.bytesRead ?? 0) + (this.#session?.bytes.bytesWritten ?? 0)
      const quiet = bytes === bytesBefore ? quietSince : now
      const why =
        (await mayGoOn().then(() => undefined, whyEnded)) ??
        (now - begunAt > limits.tunnelHours * hourMs
          ? `It lasted ${limits.tunnelHours} hours.`
          : undefined) ??
        (now - quiet > limits.tunnelIdleMinutes * minuteMs
          ? `Nothing was sent for ${limits.tunnelIdleMinutes} minutes.`
          : undefined)
      if (why === undefined) return this.#beat(mayGoOn, quiet, begunAt, bytes)
      this.#client.end(why)
      this.#session?.bytes.destroy()
    })
  }
}

/** While the platform's own database does not answer, the caller keeps their rights. */
const whyEnded = (error: unknown): string | undefined =>
  error instanceof Fault && ['unauthorized', 'forbidden', 'not_found', 'suspended'].includes(error.code)
    ? error.message
    : undefined

/** With the codes of PostgreSQL for a client that may not come in, and for a server that is away. */
function refusalFor(error: unknown): Buffer {
  if (error instanceof SignInRefused) return refusal(error.code, error.message)
  if (error instanceof Fault) return refusal('28000', error.message)
  return refusal('08006', 'The database server does not answer.')
}

// svcd's own PostgreSQL server: starts it with the first database, takes over one that an earlier svcd left running, starts it
// again after a crash, and ends it with svcd unless another svcd takes its place.
import { closeSync, existsSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs'
import path from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startProgram } from '../../../lib/start-program.ts'
import { adminRole, type Cluster, openCluster, renewRules } from './cluster.ts'
import { passwdFd, passwdFor } from './launch.ts'
import type { Machine } from './machine.ts'

export interface OwnServerSettings {
  /** Where its files are. */
  dir: string
  /** The directory of its programs. `undefined`: those of the system. */
  programs: string | undefined
  connections: number
  machine: Machine
  /** Whether its log is kept until it is archived. */
  archives?: boolean
  /** Settings of the server beside those of every one. */
  extraSettings?: Record<string, string>
  startsWithinMs?: number
}

export const port = 5432
const usuallyStartsWithinMs = 60_000
const failsWithinMs = 15_000
const stopsWithinMs = 15_000
const pauseMs = 50
const connectMs = 10_000
/** For svcd and for dumps. */
const reserved = 10
const logBytes = 10 * 1024 * 1024

const settingsOf = (
  { connections, archives }: OwnServerSettings,
  hasStatements: boolean,
): Record<string, string> => ({
  listen_addresses: '',
  unix_socket_permissions: '0777',
  max_connections: String(connections + reserved),
  superuser_reserved_connections: String(reserved),
  password_encryption: 'scram-sha-256',
  authentication_timeout: '5s',
  cluster_name: 'svc',
  // There is no replica. Transactions are durable all the same.
  ...(archives
    ? { wal_level: 'replica', max_wal_senders: '2', archive_mode: 'on', archive_timeout: '60s' }
    : { wal_level: 'minimal', max_wal_senders: '0' }),
  max_replication_slots: '0',
  max_prepared_transactions: '0',
  // Statements of projects may hold secrets, and anyone can cause errors.
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
  jit: 'off',
  ...(hasStatements && {
    shared_preload_libraries: 'pg_stat_statements',
    'pg_stat_statements.max': '1000',
    // Their texts hold passwords, and nobody is shown them.
    'pg_stat_statements.track_utility': 'off',
  }),
})

export class OwnServer {
  readonly #settings: OwnServerSettings
  #cluster: Cluster | undefined
  #starting: Promise<void> | undefined
  #wasStarted = false

  constructor(settings: OwnServerSettings) {
    this.#settings = settings
  }

  /** Whether this object started it. Otherwise it ran before. */
  get wasStarted(): boolean {
    return this.#wasStarted
  }

  /** Resolves when it accepts connections. Does nothing if it does already. */
  async start(): Promise<void> {
    this.#starting ??= this.#ensureUp().finally(() => {
      this.#starting = undefined
    })
    await this.#starting
  }

  async connect(database = 'postgres'): Promise<pg.Client> {
    await this.start()
    return await this.#connect(database)
  }

  /** Ends its sessions and stops it. Does nothing if it does not run. */
  async stop(): Promise<void> {
    await this.#starting?.catch(() => undefined)
    const cluster = this.#cluster
    const pid = cluster && pidOf(cluster)
    if (pid === undefined) return
    // SIGINT is the fast shutdown. After SIGQUIT the next start repairs from the log, and no transaction is lost either.
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      send(pid, signal)
      for (const deadline = Date.now() + stopsWithinMs; Date.now() < deadline; await sleep(pauseMs))
        if (!isAlive(pid)) return
    }
  }

  async cluster(): Promise<Cluster> {
    const { machine, dir, programs } = this.#settings
    this.#cluster ??= await openCluster(machine, dir, programs)
    return this.#cluster
  }

  /** Keeps the log short, since strangers can cause lines in it. */
  trimLog(): void {
    const file = this.#cluster?.logFile
    if (file && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > logBytes) truncateSync(file)
  }

  /** How large the file is in which it keeps the texts of the statements that it measures. */
  statementBytes(): number {
    const file = this.#cluster && path.join(this.#cluster.clusterDir, 'pg_stat_tmp/pgss_query_texts.stat')
    return (file && statSync(file, { throwIfNoEntry: false })?.size) || 0
  }

  async #ensureUp(): Promise<void> {
    const cluster = await this.cluster()
    const pid = pidOf(cluster)
    // A server that runs reads its files again.
    if (renewRules(cluster) && pid !== undefined) send(pid, 'SIGHUP')
    if (await this.#answers()) return
    const { startsWithinMs = usuallyStartsWithinMs } = this.#settings
    const begun = Date.now()
    let child: Spawned | undefined
    for (;;) {
      // Another server on these files may still be ending. PostgreSQL itself makes sure that there is one at a time.
      if (pidOf(cluster) === undefined && (child === undefined || child.hasEnded)) {
        if (child?.hasEnded && (Date.now() - begun > failsWithinMs || this.#settings.extraSettings))
          throw new Error(`PostgreSQL does not start: ${lastLines(cluster.logFile)}`)
        child = this.#spawn(cluster)
        this.#wasStarted = true
      }
      await sleep(pauseMs)
      if (await this.#answers()) return
      if (Date.now() - begun > startsWithinMs)
        throw new Error(`PostgreSQL does not answer: ${lastLines(cluster.logFile)}`)
    }
  }

  #spawn({ programs, launcher, logFile }: Cluster): Spawned {
    const { clusterDir, socketDir } = launcher.inside
    const hasStatements = existsSync(path.join(programs.extensionDir, 'pg_stat_statements.control'))
    const settings = {
      ...settingsOf(this.#settings, hasStatements),
      ...this.#settings.extraSettings,
      unix_socket_directories: socketDir,
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const command = [path.join(programs.bin, 'postgres'), '-D', clusterDir, '-p', String(port), ...flags]
    const [program, ...args] = launcher.around(command)
    const log = openSync(logFile, 'a', 0o600)
    try {
      const child = startProgram(program, args, {
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
        // A session of its own: signals to svcd's terminal do not reach it.
        detached: true,
        stdio: ['ignore', log, log, 'pipe'],
      })
      const spawned: Spawned = { hasEnded: false }
      for (const event of ['exit', 'error'] as const) child.once(event, () => (spawned.hasEnded = true))
      ;(child.stdio[passwdFd] as Writable).end(passwdFor(launcher.user))
      child.unref()
      return spawned
    } finally {
      closeSync(log)
    }
  }

  async #answers(): Promise<boolean> {
    const client = await this.#connect('postgres').catch(error => {
      if (error.code === '28P01' || error.code === '28000') throw error
      return undefined
    })
    await client?.end()
    return client !== undefined
  }

  async #connect(database: string): Promise<pg.Client> {
    const { password } = await this.cluster()
    const client = await this.clientOf({ user: adminRole, password, database, application_name: 'svcd' })
    await client.connect()
    return client
  }

  /** It has not connected yet. */
  async clientOf(login: pg.ClientConfig): Promise<pg.Client> {
    const { socketDir: host } = await this.cluster()
    const client = new pg.Client({ ...login, host, port, connectionTimeoutMillis: connectMs })
    // A connection that is lost between two statements. The next statement fails and says so.
    client.on('error', () => undefined)
    return client
  }
}

interface Spawned {
  hasEnded: boolean
}

/** Of the server that runs on these files. */
function pidOf({ clusterDir }: Cluster): number | undefined {
  const file = path.join(clusterDir, 'postmaster.pid')
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
  return pid > 1 && isServer(pid, clusterDir) ? pid : undefined
}

/** After a crash of the machine, another program may have the number. Its working directory is not the cluster then. */
function isServer(pid: number, clusterDir: string): boolean {
  if (process.platform !== 'linux') return isAlive(pid)
  try {
    const [its, own] = [statSync(`/proc/${pid}/cwd/.`), statSync(clusterDir)]
    return its.ino === own.ino && its.dev === own.dev
  } catch {
    return false // It has ended, or belongs to another user.
  }
}

function isAlive(pid: number): boolean {
  return send(pid, 0)
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false // It has ended.
  }
}

function lastLines(file: string): string {
  return existsSync(file)
    ? readFileSync(file, 'utf8').trim().split('\n').slice(-3).join(' ')
    : 'it wrote nothing'
}

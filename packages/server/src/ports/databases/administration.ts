// The statements of the administrator of a PostgreSQL server: roles and databases of projects, what they use and what they do.
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { Fault } from '../../lib/fault.ts'
import {
  defaultSettings,
  lockedSettings,
  longestIdleSeconds,
  longestStatementSeconds,
  longestTransactionSeconds,
  oldestTransaction,
} from './limits.ts'
import type { AppDatabase, DatabaseMode, DatabaseUse, RunningQuery, SlowStatement } from './port.ts'
import { forgetStatements, installStatements, slowStatements } from './slow-statements.ts'

/** Connects to a database of the server as its administrator. */
type ConnectAsAdmin = (database?: string) => Promise<pg.Client>

/** The roles and databases of projects. Others on the same server are left alone. */
const namePattern = /^svc_[a-z0-9]{8,40}$/
/** A number that nothing else uses. */
const changesLock = 7_830_197
const nameLike = 'svc\\_%'

export class Administration {
  readonly #connect: ConnectAsAdmin

  constructor(connect: ConnectAsAdmin) {
    this.#connect = connect
  }

  async ensure({ name, password, connections, filledBy }: AppDatabase): Promise<void> {
    const role = identifier(name)
    const limit = Number(connections)
    await this.#alone(async client => {
      if (!(await exists(client, 'select 1 from pg_roles where rolname = $1', name)))
        await client.query(`create role ${role} login`)
      if (filledBy !== undefined) await requireOwn(client, name, filledBy)
      await join(client, role)
      await client.query(`alter role ${role} login connection limit ${limit} password ${literal(password)}`)
      for (const [setting, value] of Object.entries(defaultSettings))
        await client.query(`alter role ${role} set ${setting} = ${literal(value)}`)
      await lockSettings(client, role)
      if (!(await exists(client, 'select 1 from pg_database where datname = $1', name)))
        await client.query(`create database ${role} template template0`)
      await client.query(`alter database ${role} allow_connections true`)
      await client.query(`revoke all on database ${role} from public`)
      await client.query(`grant connect, temporary, create on database ${role} to ${role}`)
      for (const shared of ['postgres', 'template1'])
        await client.query(`revoke connect on database ${shared} from public`)
    })
    await this.#as(name, async client => {
      await client.query('revoke all on schema public from public')
      await client.query(`grant all on schema public to ${role}`)
    })
  }

  async setMode(name: string, mode: DatabaseMode): Promise<void> {
    const role = identifier(name)
    const setting =
      mode === 'read-only' ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only'
    await this.#alone(async client => {
      // A session of the role that changes the role, too, would block this until it ends.
      await client.query(`alter database ${role} allow_connections false`)
      await endSessions(client, name)
      try {
        await client.query(`alter role ${role} ${setting}`)
        await client.query(`alter role ${role} ${mode === 'closed' ? 'nologin' : 'login'}`)
      } finally {
        await client.query(`alter database ${role} allow_connections true`)
      }
      await endSessions(client, name)
    })
  }

  async remove(name: string): Promise<void> {
    const role = identifier(name)
    await this.#alone(async client => {
      await client.query(`drop database if exists ${role} with (force)`)
      // Those that a crash left behind.
      const guests = 'select rolname as name from pg_roles where starts_with(rolname, $1)'
      for (const guest of (await client.query<{ name: string }>(guests, [guestPrefix(name)])).rows)
        await client.query(`drop role if exists "${guest.name}"`)
      await client.query(`drop role if exists ${role}`).catch(error => keepUseless(client, role, error))
    })
  }

  /**
   * Makes a role for the time of `work` that may become the role of the database. It can log in, too, while the database is closed, and
   * takes none of its connections.
   */
  async withGuest<T>(
    { name }: AppDatabase,
    work: (guest: { user: string; password: string }) => Promise<T>,
  ): Promise<T> {
    const role = identifier(name)
    const user = `${guestPrefix(name)}${randomBytes(4).toString('hex')}`
    const password = randomBytes(24).toString('base64url')
    await this.#alone(async client => {
      await client.query(
        `create role "${user}" login connection limit 1 password ${literal(password)} in role ${role}`,
      )
      await join(client, `"${user}"`)
      await lockSettings(client, `"${user}"`)
    })
    try {
      return await work({ user, password })
    } finally {
      await this.#alone(client => client.query(`drop role if exists "${user}"`))
    }
  }

  /** Autovacuum may have begun to gather them, too. */
  forgetStatistics(name: string): Promise<void> {
    return this.#as(name, async client => {
      try {
        await client.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and backend_type = 'autovacuum worker'",
          [name],
        )
        await client.query(
          'delete from pg_statistic where starelid >= 16384; delete from pg_statistic_ext_data',
        )
      } catch (error) {
        ifNotSuperuser(error as pg.DatabaseError)
      }
    })
  }

  list(): Promise<DatabaseUse[]> {
    return this.#as(undefined, async client => {
      const { rows } = await client.query<{ name: string; used: string; connections: string }>(
        `select d.datname as name, pg_database_size(d.oid) as used,
           (select count(*) from pg_stat_activity a where a.datid = d.oid and a.usename like $1) as connections
         from pg_database d where d.datname like $1 order by d.datname`,
        [nameLike],
      )
      return rows.map(row => ({
        name: row.name,
        usedBytes: Number(row.used),
        connections: Number(row.connections),
      }))
    })
  }

  queries(name: string): Promise<RunningQuery[]> {
    return this.#as(undefined, async client => {
      const { rows } = await client.query<{ seconds: string; state: string; query: string }>(
        `select extract(epoch from now() - coalesce(query_start, backend_start)) as seconds,
           coalesce(state, '') as state, left(query, 500) as query
         from pg_stat_activity where datname = $1 and usename = $1 and state <> 'idle'
         order by 1 desc limit 20`,
        [name],
      )
      return rows.map(row => ({ ...row, seconds: Math.max(0, Math.round(Number(row.seconds))) }))
    })
  }

  /** `undefined` if the server does not measure them. */
  slowStatements(name: string): Promise<SlowStatement[] | undefined> {
    return this.#as(undefined, client => slowStatements(client, name, identifier(name)))
  }

  /** For a server of svcd. */
  installStatements(): Promise<void> {
    return this.#alone(installStatements)
  }

  forgetStatements(): Promise<void> {
    return this.#alone(forgetStatements)
  }

  signal(name: string, processId: number, what: 'end' | 'cancel'): Promise<void> {
    const signalled = what === 'end' ? 'pg_terminate_backend(pid)' : 'pg_cancel_backend(pid)'
    return this.#as(undefined, async client => {
      await client.query(`select ${signalled} from pg_stat_activity where pid = $1 and usename = $2`, [
        processId,
        name,
      ])
    })
  }

  async endLong(): Promise<number> {
    await this.#joinOthers()
    return await this.#as(undefined, async client => {
      const { rowCount } = await client.query(
        `select pg_terminate_backend(a.pid) from pg_stat_activity a join pg_database d on d.oid = a.datid
         where a.usename like $1 and (
           (a.state = 'active' and a.query_start < now() - make_interval(secs => $2)) or
           (a.state like 'idle in transaction%' and a.state_change < now() - make_interval(secs => $3)) or
           (a.xact_start < now() - make_interval(secs => $4) and not starts_with(a.usename, d.datname || '_guest_')) or
           greatest(age(d.datfrozenxid), mxid_age(d.datminmxid)) > $5)`,
        [nameLike, longestStatementSeconds, longestIdleSeconds, longestTransactionSeconds, oldestTransaction],
      )
      return rowCount ?? 0
    })
  }

  /** Those that an earlier version of svcd made. */
  async #joinOthers(): Promise<void> {
    const others = await this.#as(undefined, async client => {
      const { rows } = await client.query<{ name: string }>(
        "select rolname as name from pg_roles where rolname like $1 and not pg_has_role(current_user, oid, 'usage')",
        [nameLike],
      )
      return rows
    })
    if (others.length === 0) return
    await this.#alone(async client => {
      // Another administrator may have made it. Another node may have removed it meanwhile.
      for (const { name } of others) await join(client, `"${name}"`).catch(() => undefined)
    })
  }

  /** One change of roles and databases at a time, also by other nodes: PostgreSQL lets one of two fail. */
  #alone(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
    return this.#as(undefined, async client => {
      await client.query(`set lock_timeout = '60s'`)
      await client.query('select pg_advisory_lock($1)', [changesLock])
      // The end of the connection releases the lock.
      await work(client)
    })
  }

  async #as<T>(database: string | undefined, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = await this.#connect(database)
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
}

/**
 * Makes the administrator a member of a role. Without that, one that is no superuser may not end the sessions of the role, nor see
 * what they do. The role gains nothing by it.
 */
async function join(client: pg.Client, role: string): Promise<void> {
  if (!(await exists(client, 'select 1 from pg_roles where rolname = current_user and rolsuper')))
    await client.query(`grant ${role} to current_user`)
}

async function exists(client: pg.Client, query: string, ...values: string[]): Promise<boolean> {
  return (await client.query(query, values)).rows.length > 0
}

async function endSessions(client: pg.Client, name: string): Promise<void> {
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [name])
}

/** Marks the role as that of the svcd that fills the database. Within `#alone`, so that none can come in between. */
async function requireOwn(client: pg.Client, name: string, filledBy: string): Promise<void> {
  const { rows } = await client.query<{ mark: string | null }>(
    "select shobj_description(oid, 'pg_authid') as mark from pg_roles where rolname = $1",
    [name],
  )
  const mark = rows[0]?.mark ?? null
  if (mark !== null && mark !== filledBy)
    throw new Fault(
      'unavailable',
      'Another node has begun to fill the database, because this one was silent for a minute.',
    )
  await client.query(`comment on role ${identifier(name)} is ${literal(filledBy)}`)
}

function identifier(name: string): string {
  if (!namePattern.test(name)) throw new Error(`'${name}' is not the name of a project's database`)
  return `"${name}"`
}

/** Others may have granted it something in their databases, which keeps it from being dropped. It cannot do anything with that. */
async function keepUseless(client: pg.Client, role: string, error: pg.DatabaseError): Promise<void> {
  if (error.code !== '2BP01') throw error
  await client.query(`alter role ${role} nologin connection limit 0`)
  await client.query(`comment on role ${role} is null`)
}

const guestPrefix = (name: string): string => `${name}_guest_`

async function lockSettings(client: pg.Client, role: string): Promise<void> {
  for (const [setting, value] of Object.entries(lockedSettings))
    await client.query(`alter role ${role} set ${setting} = ${literal(value)}`).catch(ifNotSuperuser)
}

/** The administrator of a rented server may be no superuser. Its provider limits temporary files, for one. */
function ifNotSuperuser(error: pg.DatabaseError): void {
  if (error.code !== '42501') throw error
}

/** Passwords and settings of svcd, which have neither quotes nor backslashes. */
function literal(text: string): string {
  if (/['\\\0]/.test(text)) throw new Error('a value of a statement has a quote')
  return `'${text}'`
}

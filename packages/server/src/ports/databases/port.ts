// Databases: PostgreSQL for the projects. Each database has a role of its own, which can reach nothing else.
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import type { Session } from '../../lib/postgres-protocol.ts'

/** Names of databases are names of roles, too. They are made by svcd. */
export interface AppDatabase {
  /** Lower-case letters, digits and underscores. */
  name: string
  password: string
  /** How many connections its role may have at a time. */
  connections: number
  /** The svcd that fills it. `ensure` refuses if another one has made the role meanwhile. */
  filledBy?: string
}

/** Where apps find the server. */
export interface DatabaseAddress {
  /** A hostname, or the path of the directory that has the server's socket inside the sandbox of an app. */
  host: string
  port: number
  /** The directory of this machine that is shown to apps at `host`. `undefined` if apps connect by TCP. */
  socketDir: string | undefined
}

export interface DatabaseUse {
  name: string
  usedBytes: number
  connections: number
}

export interface RunningQuery {
  seconds: number
  state: string
  query: string
}

/** A statement without its values, with what it took since the server counts. */
export interface SlowStatement {
  query: string
  calls: number
  totalMs: number
  meanMs: number
  /** That it returned or changed. */
  rows: number
  /** Of the time of all statements of the database, from 0 to 1. */
  share: number
}

/**
 * `writable`: anything goes. `read-only`: its sessions begin read-only, and may be made writable to delete rows. `closed`: nobody
 * can connect.
 */
export type DatabaseMode = 'writable' | 'read-only' | 'closed'

/** A session that nobody has used yet. */
export interface SignedIn extends Session {
  /** To and from the server. It is paused, and its errors need no listener. */
  bytes: Socket
}

/** Times are milliseconds since the epoch. */
export interface ArchiveState {
  folder: string
  /** Everything until then is in the archive. */
  archivedAt: number | null
  /** When the newest copy of all databases ended. */
  copiedAt: number | null
  /** Since the last success. */
  failures: number
  failingSince: number | null
  error: string | null
  /** Of the log, until the archive takes it. */
  waitingBytes: number
}

export interface TableInList {
  schema: string
  name: string
  kind: 'table' | 'view' | 'materialized view' | 'foreign table'
  /** As PostgreSQL estimates. `null`: it has not looked yet, or cannot know. */
  rows: number | null
  bytes: number | null
}

export interface TablesOfDatabase {
  tables: TableInList[]
  /** There are others. */
  more: boolean
}

export interface RowsAsked {
  schema: string
  name: string
  limit: number
  offset: number
}

/** A value as PostgreSQL writes it. One that is long has only its beginning. */
export type Cell = string | null | { start: string; bytes: number }

export interface ColumnOfTable {
  name: string
  type: string
  typeId: string
  /** Its place in the primary key. */
  keyAt: number | null
}

export interface RowsOfTable {
  columns: { name: string; type: string; isKey: boolean }[]
  moreColumns: boolean
  rows: Cell[][]
  more: boolean
}

/** A table cannot be read. The message is why, mostly in the words of PostgreSQL. */
export class ReadRefused extends Error {
  override readonly name = 'ReadRefused'
}

/** The server lets nobody in now, in its own words: too many connections, or a wrong setting. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused'
  /** As PostgreSQL's documentation lists them. */
  readonly code: string
  constructor(cause: Error & { code?: string | undefined }) {
    super(cause.message, { cause })
    this.code = cause.code ?? '08006'
  }
}

/** pg_restore ended with an error. The message is its first words. */
export class DumpRefused extends Error {
  override readonly name = 'DumpRefused'
}

export interface Databases {
  /** Throws if no server can be used, with the remedy. Starts the server if it is svcd's own. */
  start(): Promise<void>
  address(): DatabaseAddress
  /** How many connections all projects together may have. */
  readonly connectionsAtMost: number
  /** Makes the role and the database, or what is missing of them. Sets password and limits. */
  ensure(database: AppDatabase): Promise<void>
  /** Ends the sessions of the role if the mode changes. */
  setMode(name: string, mode: DatabaseMode): Promise<void>
  /** Deletes what the server has noted of values in columns. Does nothing if svcd is not a superuser of the server. */
  forgetStatistics(name: string): Promise<void>
  /** Deletes the database and the role, if they exist. */
  remove(name: string): Promise<void>
  /** The databases that `ensure` made, with what they use. */
  list(): Promise<DatabaseUse[]>
  /** What the sessions of a database do, the longest first. */
  queries(name: string): Promise<RunningQuery[]>
  /** The statements of its role that took the most time. `remedy`: the server does not measure them, and what its operator can do. */
  slowStatements(name: string): Promise<{ statements: SlowStatement[]; remedy?: string }>
  /** The tables and views of a project, as its role. Throws `SignInRefused` and `ReadRefused`. */
  tables(database: AppDatabase): Promise<TablesOfDatabase>
  /** In the order of the primary key, if there is one. `undefined` if there is no such table. Throws as `tables` does. */
  rows(database: AppDatabase, asked: RowsAsked): Promise<RowsOfTable | undefined>
  /** Begins a session as the role of the database, with the settings that a client asks for. Throws `SignInRefused`. */
  signIn(database: AppDatabase, parameters: Record<string, string>): Promise<SignedIn>
  /** Ends a session of the role, or what it works on. Does nothing if there is no such session. */
  signal(name: string, processId: number, what: 'end' | 'cancel'): Promise<void>
  /** Ends statements and idle transactions that take longer than any role may ask for. Returns how many. */
  endLong(): Promise<number>
  /** Writes a dump, as the role of the database, also while that is closed. Ends the output only if the dump is complete. */
  dump(database: AppDatabase, output: Writable): Promise<void>
  /** Fills an empty database from a dump, as its role. Throws `DumpRefused` if the dump is to blame. */
  restore(database: AppDatabase, dump: Readable, signal?: AbortSignal): Promise<void>
  /** Copies what is new of the log of all changes to the archive. `undefined` if there is no archive. */
  readonly archiveLog?: (() => Promise<void>) | undefined
  /** `undefined` if there is no archive. The server need not run. */
  readonly archiveState?: (() => Promise<ArchiveState | undefined>) | undefined
  /** Ends what a recovery that was killed has left. */
  readonly endRecovery?: (() => Promise<void>) | undefined
  /** `keepsServer`: another svcd goes on with the server. `as it was`: a server that ran before this began goes on. */
  close(options?: { keepsServer?: boolean | 'as it was' }): Promise<void>
}

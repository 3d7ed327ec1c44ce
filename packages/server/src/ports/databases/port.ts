// Databases: PostgreSQL for the projects. Each database has a role of its own, which can reach nothing else.
import type { Readable, Writable } from 'node:stream'

/** Names of databases are names of roles, too. They are made by svcd. */
export interface AppDatabase {
  /** Lower-case letters, digits and underscores. */
  name: string
  password: string
  /** How many connections its role may have at a time. */
  connections: number
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

/**
 * `writable`: anything goes. `read-only`: its sessions begin read-only, and may be made writable to delete rows. `closed`: nobody
 * can connect.
 */
export type DatabaseMode = 'writable' | 'read-only' | 'closed'

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
  /** Deletes the database and the role, if they exist. */
  remove(name: string): Promise<void>
  /** The databases that `ensure` made, with what they use. */
  list(): Promise<DatabaseUse[]>
  /** What the sessions of a database do, the longest first. */
  queries(name: string): Promise<RunningQuery[]>
  /** Ends statements and idle transactions that take longer than any role may ask for. Returns how many. */
  endLong(): Promise<number>
  /** Writes a dump, as the role of the database, also while that is closed. Ends the output only if the dump is complete. */
  dump(database: AppDatabase, output: Writable): Promise<void>
  /** Fills an empty database from a dump, as its role. Throws `DumpRefused` if the dump is to blame. */
  restore(database: AppDatabase, dump: Readable, signal?: AbortSignal): Promise<void>
  /** `keepsServer`: another svcd goes on with the server. `as it was`: a server that ran before this began goes on. */
  close(options?: { keepsServer?: boolean | 'as it was' }): Promise<void>
}

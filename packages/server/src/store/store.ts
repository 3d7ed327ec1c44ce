// The database as the rest of the program sees it: queries take a Db or a Tx, changes are told after commit.
import type { Kysely, Transaction } from 'kysely'
import type { Change, Changes } from '../ports/changes/port.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>
export type Engine = 'sqlite' | 'postgres'

/** Notes, in the same transaction, that caches must forget something. */
export type Changed = (change: Change & { key: string }) => Promise<void>

export interface Store {
  readonly engine: Engine
  readonly db: Db
  /** For reads too long to be made between two requests: they hold up neither requests nor writes. */
  readonly aside: Db
  readonly changes: Changes
  /**
   * All or nothing. Nothing but SQL may be awaited inside. The work may run again, when another transaction wanted the same
   * rows: it changes nothing but the database. Local caches are told before this resolves.
   */
  transact<T>(work: (tx: Tx, changed: Changed) => Promise<T>): Promise<T>
  /** Another process of this node committed this, and says so before the database does. */
  receiveChanges(changes: Change[]): void
  /** Brings the schema up to date; safe to run from several programs at once. Answers what it applied. */
  migrate(): Promise<string[]>
  /** Throws when the database does not answer. */
  check(): Promise<void>
  close(): Promise<void>
}

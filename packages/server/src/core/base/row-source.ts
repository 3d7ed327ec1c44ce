// Where the edge's rows come from: the database, or the copies that a node keeps for the time when the database does not answer.
import type { Db } from '../../store/store.ts'

/** Names the rows of one query, so that a copy of them can be kept and dropped. */
export interface RowPlace {
  /** The topic of the changes that make the rows stale, and their key. */
  topic: 'project' | 'domain' | 'certificate'
  key: string
  /** Which rows about it. */
  part: string
}

/** The copies of a query without a place are not kept. */
export interface RowSource {
  rows<R extends object>(place: RowPlace | undefined, ask: (db: Db) => Promise<{ rows: R[] }>): Promise<R[]>
}

export const databaseRows = (db: Db): RowSource => ({
  rows: async (_place, ask) => (await ask(db)).rows,
})

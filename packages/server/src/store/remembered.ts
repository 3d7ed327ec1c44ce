// Answers of the hottest queries, kept until anything at all is written. Only stores that see every write of this
// process offer it (SQLite); elsewhere, and inside transactions, each call asks the database.
import type { QueryResult } from 'kysely'
import type { Db } from './store.ts'

type Query<A extends string[], R> = (db: Db, ...args: A) => Promise<QueryResult<R>>

/** A number that moves with every write, by database. */
const writesOf = new WeakMap<Db, () => number>()

export function rememberUntilWritten(db: Db, writes: () => number): void {
  writesOf.set(db, writes)
}

/** Anyone may ask for anything: what is kept is bounded, and begins anew when full. */
const keptAtMost = 10_000

/** Whoever gets the rows shares them, and must not change them. */
export function remembered<A extends string[], R>(query: Query<A, R>): Query<A, R> {
  const kept = new WeakMap<Db, { writes: number; answers: Map<string, QueryResult<R>> }>()
  return async (db, ...args) => {
    const writes = writesOf.get(db)
    if (!writes) return await query(db, ...args)
    const now = writes()
    let memory = kept.get(db)
    if (memory?.writes !== now || memory.answers.size >= keptAtMost) {
      memory = { writes: now, answers: new Map() }
      kept.set(db, memory)
    }
    const key = args.join('\0')
    const known = memory.answers.get(key)
    if (known) return known
    const answer = await query(db, ...args)
    // What was written meanwhile may be missing from this answer. Nothing found is not worth the room.
    if (writes() === now && answer.rows.length > 0) memory.answers.set(key, answer)
    return answer
  }
}

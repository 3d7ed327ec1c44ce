// Caches the results of the most frequent queries until the next write of any kind. Only works with SQLite, where the store
// sees every write. With PostgreSQL, and inside transactions, each call runs the query.
import type { QueryResult } from 'kysely'
import type { Db } from './store.ts'

type Query<A extends string[], R> = (db: Db, ...args: A) => Promise<QueryResult<R>>

/** By database: a counter of writes. */
const writesOf = new WeakMap<Db, () => number>()

export function rememberUntilWritten(db: Db, writes: () => number): void {
  writesOf.set(db, writes)
}

/** Clients choose the parameters, so the number of entries is limited. The cache is cleared when full. */
const keptAtMost = 10_000

/** The rows are shared. Callers must not change them. */
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
    // Do not cache if something was written meanwhile. Empty results are not worth caching.
    if (writes() === now && answer.rows.length > 0) memory.answers.set(key, answer)
    return answer
  }
}

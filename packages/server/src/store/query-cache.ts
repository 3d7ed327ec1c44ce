// Caches the results of the most frequent queries until the next write of any kind, also of another program such as
// `svcd users`. Only works with SQLite, which tells at once that something was written. With PostgreSQL, and inside
// transactions, each call runs the query.
import type { QueryResult } from 'kysely'
import type { Db } from './store.ts'

type Query<A extends string[], R> = (db: Db, ...args: A) => Promise<QueryResult<R>>

/** For each database, a function that returns the version of its data. */
const versionOf = new WeakMap<Db, () => number>()

/** Lets cached queries of this database be kept. `version` must return another number after every write. */
export function enableQueryCache(db: Db, version: () => number): void {
  versionOf.set(db, version)
}

/** Clients choose the parameters, so the number of entries is limited. The cache is cleared when full. */
const maxEntries = 10_000

/** Wraps a query with the cache. Callers share the rows, so they must not change them. */
export function cachedQuery<A extends string[], R>(query: Query<A, R>): Query<A, R> {
  const caches = new WeakMap<Db, { version: number; answers: Map<string, QueryResult<R>> }>()
  return async (db, ...args) => {
    const version = versionOf.get(db)
    if (!version) return await query(db, ...args)
    const now = version()
    let cache = caches.get(db)
    if (cache?.version !== now || cache.answers.size >= maxEntries) {
      cache = { version: now, answers: new Map() }
      caches.set(db, cache)
    }
    const key = args.join('\0')
    const cached = cache.answers.get(key)
    if (cached) return cached
    const answer = await query(db, ...args)
    // Do not cache if something was written meanwhile. Empty results are not worth caching.
    if (version() === now && answer.rows.length > 0) cache.answers.set(key, answer)
    return answer
  }
}

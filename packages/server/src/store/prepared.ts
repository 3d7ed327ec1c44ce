// Queries of the hot paths: built and compiled once per database, then run with other parameters.
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Db } from './store.ts'

interface Compilable<R> {
  compile(): CompiledQuery<R>
}

/** `build` is called once with stand-ins for its arguments; they may only be used as values in the query. */
export function prepared<A extends (string | number)[], R>(
  build: (db: Db, ...args: A) => Compilable<R>,
): (db: Db, ...args: A) => Promise<QueryResult<R>> {
  const compiled = new WeakMap<Db, { query: CompiledQuery<R>; order: number[] }>()
  return (db, ...args) => {
    let known = compiled.get(db)
    if (!known) {
      const standIns = Array.from({ length: build.length - 1 }, (_, i) => `\u0000argument ${i}`)
      const query = build(db, ...(standIns as unknown as A)).compile()
      known = { query, order: query.parameters.map(p => standIns.indexOf(p as string)) }
      compiled.set(db, known)
    }
    const { query, order } = known
    const parameters = order.map((from, i) => (from < 0 ? query.parameters[i] : args[from]))
    return db.executeQuery({ ...query, parameters } as CompiledQuery<R>)
  }
}

// The store on PostgreSQL, for many nodes.
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Change } from '../../ports/changes/port.ts'
import { migrateToLatest } from '../migrate.ts'
import { ChangeListeners } from '../platform/change-log.ts'
import type { Changed, Store } from '../store.ts'
import type { Tables } from '../tables.ts'
import { channel, Feed } from './feed.ts'

const int8 = 20

/** 64-bit integers are milliseconds and byte counts, which a number represents exactly. */
const types = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

export async function openPostgres(
  url: string,
  log: (message: string, error: unknown) => void,
): Promise<Store> {
  const pool = new pg.Pool({ connectionString: url, max: 10, types, connectionTimeoutMillis: 10_000 })
  pool.on('error', error => log('an idle database connection broke', error))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const listeners = new ChangeListeners()
  const feed = new Feed(url, listeners, log)

  return {
    engine: 'postgres',
    db,
    aside: db,
    changes: { subscribe: listener => listeners.subscribe(listener), close: () => feed.stop() },
    async transact(work) {
      const told: Change[] = []
      const result = await db.transaction().execute(tx => {
        const changed: Changed = async change => {
          told.push(change)
          await sql`select pg_notify(${channel}, ${JSON.stringify(change)})`.execute(tx)
        }
        return work(tx, changed)
      })
      listeners.notify(told)
      return result
    },
    receiveChanges: changes => listeners.notify(changes),
    async migrate() {
      const applied = await migrateToLatest(db, 'postgres')
      await feed.start()
      return applied
    },
    async check() {
      await sql`select 1`.execute(db)
    },
    async close() {
      await feed.stop()
      await db.destroy()
    },
  }
}

// The store on PostgreSQL, for many nodes.
import { Kysely, PostgresDialect, sql } from 'kysely'
import { isConflict, troubleOf } from '../faults.ts'
import { hasLatest, migrateToLatest } from '../migrate.ts'
import { ChangeListeners } from '../platform/change-log.ts'
import type { Changed, Store, Tx } from '../store.ts'
import type { Tables } from '../tables.ts'
import { Feed, type FeedCursor, type FeedMode } from './feed.ts'
import { appendChange, type Committed } from './feed-rows.ts'
import { connectionError, defaultLimits, LimitedPool, type PostgresLimits } from './pool.ts'

interface PostgresOptions {
  limits?: PostgresLimits
  feed?: FeedMode
  cursor?: FeedCursor | undefined
}

/** Migrations may take long, and wait for each other. */
const withoutLimits: PostgresLimits = { ...defaultLimits, connections: 1, statementMs: 0, lockMs: 0 }

export async function openPostgres(
  url: string,
  log: (message: string, error?: unknown) => void,
  { limits = defaultLimits, feed: mode = 'listen', cursor }: PostgresOptions = {},
): Promise<Store> {
  const pool = new LimitedPool(url, limits, log)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const listeners = new ChangeListeners()
  const onAway = (isAway: boolean) => {
    log(isAway ? 'the database does not answer' : 'the database answers again')
    pool.setAway(isAway)
  }
  const feed = new Feed({ url, mode, cursor, listeners, log, onAway })

  return {
    engine: 'postgres',
    db,
    aside: db,
    changes: {
      subscribe: listener => listeners.subscribe(listener),
      lagMs: () => feed.lagMs,
      close: () => feed.stop(),
    },
    async transact(work) {
      const { result, committed } = await despiteConflicts(() => commit(db, work))
      await feed.committed(committed)
      return result
    },
    receiveChanges: changes => listeners.notify(changes),
    async migrate() {
      try {
        const applied = (await isMigrated(url, limits, log)) ? [] : await migrateOn(url, log)
        await feed.start().catch(error => Promise.reject(connectionError(error)))
        return applied
      } catch (error) {
        // Queries fail at once until this is called again and succeeds.
        if (troubleOf(error) === 'away') feed.giveUp()
        throw error
      }
    },
    async check() {
      // A write, because on a full disk or a standby reads still work.
      await sql`update platform set id = id`.execute(db)
    },
    async close() {
      await feed.stop()
      await db.destroy()
      await pool.end()
    },
  }
}

async function commit<T>(
  db: Kysely<Tables>,
  work: (tx: Tx, changed: Changed) => Promise<T>,
): Promise<{ result: T; committed: Committed[] }> {
  const committed: Committed[] = []
  const result = await db.transaction().execute(tx => {
    const changed: Changed = async change => void committed.push(await appendChange(tx, change))
    return work(tx, changed)
  })
  return { result, committed }
}

/** How often a transaction runs that PostgreSQL undid, since others wanted the same rows in another order. */
const runsAtMost = 4

async function despiteConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs++) {
    try {
      return await run()
    } catch (error) {
      if (!isConflict(error) || runs === runsAtMost) throw error
    }
  }
}

type Log = (message: string, error?: unknown) => void

/** Most starts have nothing to migrate. Unlike a migration, this does not wait for a database that stands still. */
async function isMigrated(url: string, limits: PostgresLimits, log: Log): Promise<boolean> {
  const pool = new LimitedPool(url, { ...limits, connections: 1 }, log)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await hasLatest(db, 'postgres')
  } finally {
    await db.destroy()
  }
}

async function migrateOn(url: string, log: Log): Promise<string[]> {
  const pool = new LimitedPool(url, withoutLimits, log)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await migrateToLatest(db, 'postgres')
  } finally {
    await db.destroy()
  }
}

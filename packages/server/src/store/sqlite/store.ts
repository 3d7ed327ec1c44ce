// The store on embedded SQLite.
import { Kysely } from 'kysely'
import type { Change } from '../../ports/changes/port.ts'
import { migrateToLatest } from '../migrate.ts'
import { ChangeListeners, changeOf } from '../platform/change-log.ts'
import { enableQueryCache } from '../query-cache.ts'
import type { Changed, Store } from '../store.ts'
import type { Tables } from '../tables.ts'
import { AsideThread } from './aside-thread.ts'
import { dataVersion } from './data-version.ts'
import { readAsideDialect, sqliteDialect } from './dialect.ts'
import { type Connection, openReader } from './open.ts'
import { Writer } from './writer.ts'

/** How often other programs on the same file are looked for (`svcd users …` beside the server). */
const watchEveryMs = 250
const changesPerLook = 1000

export async function openSqlite(file: string): Promise<Store> {
  const writer = await Writer.open(file)
  const reader = openReader(file)
  const version = dataVersion(reader)
  const db = new Kysely<Tables>({ dialect: sqliteDialect(writer, reader) })
  const asideThread = new AsideThread(file)
  const aside = new Kysely<Tables>({ dialect: readAsideDialect(asideThread) })
  enableQueryCache(db, version)
  const listeners = new ChangeListeners()
  let watch: Watch | undefined

  return {
    engine: 'sqlite',
    db,
    aside,
    changes: {
      subscribe: listener => listeners.subscribe(listener),
      // Other programs on the same file are looked for four times a second.
      lagMs: () => 0,
      close: async () => watch?.stop(),
    },
    async transact(work) {
      const told: Change[] = []
      const result = await db.transaction().execute(tx => {
        const changed: Changed = async change => {
          told.push(change)
          await tx
            .insertInto('changes')
            .values({ ...change, at: Date.now() })
            .execute()
        }
        return work(tx, changed)
      })
      listeners.notify(told)
      return result
    },
    receiveChanges: changes => listeners.notify(changes),
    async migrate() {
      const applied = await migrateToLatest(db, 'sqlite')
      watch ??= new Watch(reader, version, listeners)
      return applied
    },
    async check() {
      reader.prepare('select 1').get()
      // A write, because on a full or damaged disk reads may still work.
      await writer.execute('update platform set id = id', [])
    },
    async close() {
      watch?.stop()
      await asideThread.close()
      if (reader.isOpen) reader.close()
      await writer.close()
    },
  }
}

/** Tells the listeners what other processes changed. */
class Watch {
  readonly #timer: NodeJS.Timeout
  #version: number
  #cursor: number

  constructor(reader: Connection, version: () => number, listeners: ChangeListeners) {
    const latest = reader.prepare('select coalesce(max(seq), 0) as seq from changes')
    const since = reader.prepare('select seq, topic, key from changes where seq > ? order by seq limit ?')
    this.#version = version()
    this.#cursor = latest.get()?.seq as number
    this.#timer = setInterval(() => {
      const now = version()
      if (now === this.#version) return
      const rows = since.all(this.#cursor, changesPerLook) as { seq: number; topic: string; key: string }[]
      // Looks again next time if there may be more.
      if (rows.length < changesPerLook) this.#version = now
      this.#cursor = rows.at(-1)?.seq ?? this.#cursor
      listeners.notify(rows.map(changeOf))
    }, watchEveryMs)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

// Runs the same tests on every database: a fresh store on SQLite and one on PostgreSQL.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { openPostgres } from '../store/postgres/store.ts'
import { openSqlite } from '../store/sqlite/store.ts'
import type { Engine, Store } from '../store/store.ts'
import { migratedPostgres } from './postgres.ts'
import { commitWithoutDisk, migratedSqlite } from './sqlite.ts'

commitWithoutDisk()

interface Fresh {
  open(): Promise<Store>
  remove(): Promise<void>
}

const engines: Record<Engine, () => Promise<Fresh>> = {
  async sqlite() {
    const dir = await mkdtemp(path.join(tmpdir(), 'svc-store-'))
    const file = path.join(dir, 'svc.db')
    await migratedSqlite(file)
    return {
      open: () => openSqlite(file),
      remove: () => rm(dir, { recursive: true }),
    }
  },
  async postgres() {
    const database = await migratedPostgres()
    return {
      open: () => openPostgres(database.url, () => undefined),
      remove: () => database.drop(),
    }
  },
}

/** `another` opens the same database once more, as a second node would. */
export function onEveryStore(tests: (store: () => Store, another: () => Promise<Store>) => void): void {
  describe.each(Object.keys(engines) as Engine[])('on %s', engine => {
    let fresh: Fresh
    const opened: Store[] = []
    const open = async () => {
      const store = await fresh.open()
      opened.push(store)
      await store.migrate()
      return store
    }
    beforeAll(async () => {
      fresh = await engines[engine]()
      await open()
    })
    afterAll(async () => {
      for (const store of opened) await store.close()
      await fresh.remove()
    })
    tests(() => opened[0]!, open)
  })
}

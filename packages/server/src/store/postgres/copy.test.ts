import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freshPostgres, migratedPostgres } from '../../testing/postgres.ts'
import { addProject } from '../../testing/rows.ts'
import { migrateLike } from '../migrate.ts'
import { migrations } from '../migrations/index.ts'
import { insertJob } from '../platform/jobs.ts'
import { executedMigrations, tablesOf } from '../sqlite/file-tables.ts'
import { openReader } from '../sqlite/open.ts'
import { prepareRestored } from '../sqlite/restored.ts'
import { openSingleFile } from '../sqlite/single-file.ts'
import { snapshotDatabase } from '../sqlite/snapshot.ts'
import { openSqlite } from '../sqlite/store.ts'
import type { Store } from '../store.ts'
import { PostgresTarget } from './fill.ts'
import { snapshotPostgres } from './snapshot.ts'
import { openPostgres } from './store.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'svc-copy-'))
})
afterAll(() => rm(dir, { recursive: true }))

const freshFile = (): string => path.join(dir, `${randomUUID()}.db`)

async function freshUrl(isMigrated = false): Promise<string> {
  const database = await (isMigrated ? migratedPostgres() : freshPostgres())
  onTestFinished(() => database.drop())
  return database.url
}

async function using<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const onPostgres = async <T>(url: string, work: (store: Store) => Promise<T>): Promise<T> =>
  using(await openPostgres(url, () => undefined), work)

async function fill(url: string, file: string): Promise<void> {
  const target = await PostgresTarget.open(url)
  try {
    await target.requireEmpty()
    await target.fill(file)
  } finally {
    await target.close()
  }
}

/** A database file with rows that refer to each other, in the opposite order of the table names. */
async function filledFile(projects = 3): Promise<string> {
  const file = freshFile()
  await using(await openSqlite(file), async store => {
    await store.migrate()
    for (let i = 0; i < projects; i++) await addProject(store)
    await store.transact(async (tx, changed) => {
      await insertJob(tx, {
        kind: 'compress',
        payload: '{}',
        key: 'quoted "\\{},\' ü\n\0',
        runAt: 2 ** 50,
        now: 1,
      })
      await changed({ topic: 'project', key: 'a' })
      await changed({ topic: 'project', key: 'b' })
    })
  })
  const copy = freshFile()
  snapshotDatabase(file, copy)
  await prepareRestored(copy)
  return copy
}

/** All rows of all tables, in an order that does not depend on the engine. */
function contentOf(file: string): Record<string, string[]> {
  const connection = openReader(file)
  try {
    const rows = tablesOf(connection).map(({ name }) => [
      name,
      connection
        .prepare(`select * from "${name}"`)
        .all()
        .map(row => JSON.stringify(Object.entries(row as object).sort()))
        .sort(),
    ])
    return Object.fromEntries(rows)
  } finally {
    connection.close()
  }
}

describe('a database file that is copied into PostgreSQL', () => {
  test.each([false, true])('and back has the same rows (migrated before: %s)', async isMigrated => {
    const [file, back, url] = [await filledFile(), freshFile(), await freshUrl(isMigrated)]
    await fill(url, file)
    await snapshotPostgres(url, back)
    const [before, after] = [contentOf(file), contentOf(back)]
    expect(before.projects).toHaveLength(3)
    // PostgreSQL's text cannot hold NUL.
    expect(after).toEqual({ ...before, jobs: before.jobs!.map(row => row.replace('\\u0000', '')) })
  })

  test('gives the next row the next number, and keeps references checked', async () => {
    const url = await freshUrl()
    await fill(url, await filledFile())
    await onPostgres(url, async ({ db }) => {
      const added = await sql<{
        seq: number
      }>`insert into changes (topic, key, at) values ('x', 'y', 1) returning seq`.execute(db)
      expect(added.rows).toEqual([{ seq: 3 }])
      const orphan = sql`insert into members (org_id, account_id, role, joined_at) values ('no', 'no', 'owner', 1)`
      await expect(orphan.execute(db)).rejects.toMatchObject({ code: '23503' })
      const deferrable = await sql`select 1 from pg_constraint where condeferrable`.execute(db)
      expect(deferrable.rows).toEqual([])
    })
  })

  test('leaves the database empty if a row refers to nothing', async () => {
    const [file, url] = [await filledFile(), await freshUrl()]
    const connection = openSingleFile(file)
    connection.exec('pragma foreign_keys = off')
    connection.exec(
      "insert into members (org_id, account_id, role, joined_at) values ('no', 'no', 'owner', 1)",
    )
    connection.close()
    await expect(fill(url, file)).rejects.toThrow('The database of the backup is damaged (members, 23503).')
    await fill(url, await filledFile())
  })

  test('leaves the database empty if a value has the wrong type', async () => {
    const [file, url] = [await filledFile(), await freshUrl()]
    const connection = openSingleFile(file)
    connection.exec("update jobs set run_at = 'soon'")
    connection.close()
    await expect(fill(url, file)).rejects.toThrow('The database of the backup is damaged (jobs, 22P02).')
    await fill(url, await filledFile())
  })

  test('is refused by a database with rows, or with tables of another program', async () => {
    const [file, url, foreign] = [await filledFile(), await freshUrl(), await freshUrl()]
    await fill(url, file)
    await expect(fill(url, file)).rejects.toThrow('is not empty (table accounts)')
    await onPostgres(foreign, ({ db }) => sql`create table wiki (id integer)`.execute(db))
    await expect(fill(foreign, file)).rejects.toThrow('is not empty (table wiki)')
  })

  test('of two copies at the same time, one is refused', async () => {
    const [file, url] = [await filledFile(), await freshUrl()]
    const copies = await Promise.allSettled([fill(url, file), fill(url, file)])
    expect(copies.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('a copy of a PostgreSQL database', () => {
  test('holds one moment, while others write', async () => {
    const [url, file] = [await freshUrl(), freshFile()]
    await fill(url, await filledFile(200))
    await onPostgres(url, async store => {
      const { rows } = await sql<{
        value: number
      }>`select value from counters where name = 'accounts'`.execute(store.db)
      let goesOn = true
      const writing = (async () => {
        // Both rows are written in one transaction, so a copy has both or none.
        while (goesOn)
          await store.db.transaction().execute(async tx => {
            await sql`insert into changes (topic, key, at) values ('pair', 'x', 1)`.execute(tx)
            await sql`update counters set value = value + 1 where name = 'accounts'`.execute(tx)
          })
      })()
      await snapshotPostgres(url, file)
      goesOn = false
      await writing
      const connection = openReader(file)
      const pairs = connection.prepare("select count(*) as n from changes where topic = 'pair'").get()
      const counted = connection.prepare("select value from counters where name = 'accounts'").get()
      connection.close()
      expect(Number(counted!.value) - rows[0]!.value).toBe(Number(pairs!.n))
    })
  })

  test('has the schema of the original, also of an older one', async () => {
    const [url, file, older] = [await freshUrl(), freshFile(), freshFile()]
    const allButLast = Object.keys(migrations('postgres')).slice(0, -1)
    await onPostgres(url, ({ db }) => migrateLike(db, 'postgres', allButLast))
    await snapshotPostgres(url, file)
    const connection = openReader(file)
    expect(executedMigrations(connection)).toEqual(allButLast)
    connection.close()
    await copyFile(file, older)
    await prepareRestored(older)
    await fill(await freshUrl(), older)
  })

  test.each([
    ['an empty database', 'select 1', 'The database has no tables of svcd.'],
    [
      'a database of a newer version',
      "create table kysely_migration (name text); insert into kysely_migration values ('999_later')",
      'A newer version of svcd made the database.',
    ],
  ])('is not made of %s', async (_, statements, message) => {
    const url = await freshUrl()
    await onPostgres(url, ({ db }) => sql.raw(statements).execute(db))
    await expect(snapshotPostgres(url, freshFile())).rejects.toThrow(message)
  })
})

// Databases of older versions with rows in them, from the first schema on, are brought to the newest one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freshPostgres } from '../testing/postgres.ts'
import { migrateLike } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { openPostgres } from './postgres/store.ts'
import { findSite } from './projects/projects.ts'
import { openSqlite } from './sqlite/store.ts'
import type { Db, Engine, Store } from './store.ts'

const names = Object.keys(migrations('sqlite'))
/** The first schema, the last ones of some floors of the program, and the one before the newest. */
const schemas = [
  '001_skeleton',
  '017_deploy_hooks',
  '049_platform_version',
  '076_host_certificates',
  names.at(-2)!,
]

/** An empty database, without any table. */
const opening: Record<Engine, () => Promise<Store>> = {
  async sqlite() {
    const dir = mkdtempSync(path.join(tmpdir(), 'svc-old-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    return await openSqlite(path.join(dir, 'svc.db'))
  },
  async postgres() {
    const { url, drop } = await freshPostgres()
    onTestFinished(drop)
    return openPostgres(url, () => undefined)
  },
}

async function openEmpty(engine: Engine): Promise<Store> {
  const store = await opening[engine]()
  onTestFinished(() => store.close())
  return store
}

/** With the columns that the first schema has. Later ones are nullable or have a default. */
const rows = [
  "insert into accounts (id, forge_id, login, is_admin, created_at) values ('acc_1', 1, 'ada', 1, 1)",
  "insert into tokens (id, hash, kind, label, account_id, created_at) values ('tok_1', 'h', 'cli', 'laptop', 'acc_1', 1)",
  "insert into projects (id, name, account_id, active_deployment_id, created_at) values ('prj_1', 'shop', 'acc_1', 'dep_1', 1)",
  "insert into deployments (id, project_id, status, kind, created_at, file_count, size_bytes, warnings, node_id) values ('dep_1', 'prj_1', 'live', 'static', 1, 1, 5, '[]', 'n')",
]

const columnsOf = async (db: Db): Promise<string[]> => {
  const tables = await db.introspection.getTables()
  return tables.flatMap(({ name, columns }) => columns.map(column => `${name}.${column.name}`)).toSorted()
}

describe.each(['sqlite', 'postgres'] as const)('on %s', engine => {
  test.each(schemas)(
    'a database of the schema %s keeps its rows, and gets the schema of a new one',
    async schema => {
      const store = await openEmpty(engine)
      await migrateLike(store.db, engine, names.slice(0, names.indexOf(schema) + 1))
      for (const row of rows) await sql.raw(row).execute(store.db)
      expect(await store.migrate()).toEqual(names.slice(names.indexOf(schema) + 1))

      expect((await findSite(store.db, 'shop')).rows).toMatchObject([{ deployment_id: 'dep_1' }])
      const read = async (table: 'accounts' | 'tokens' | 'deployments') =>
        (await store.db.selectFrom(table).select('id').execute()).map(({ id }) => id)
      expect([await read('accounts'), await read('tokens'), await read('deployments')]).toEqual([
        ['acc_1'],
        ['tok_1'],
        ['dep_1'],
      ])
      const fresh = await openEmpty(engine)
      await fresh.migrate()
      expect(await columnsOf(store.db)).toEqual(await columnsOf(fresh.db))
    },
  )
})

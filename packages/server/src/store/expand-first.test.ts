// Nodes of the version before go on while a newer one migrates the database. So a migration only adds: it removes or renames
// nothing, and what it adds to a table need not be named in an insert. What nothing reads any more goes one version later.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ColumnMetadata } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { migrateLike } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { openSqlite } from './sqlite/store.ts'
import type { Db } from './store.ts'

/** What migrations removed that the version before did not use any more, by migration. The first one is older than all releases. */
const contracted: Record<string, string[]> = {
  '018_billing': [
    'removes subscriptions.cancel_at_period_end',
    'requires subscriptions.state',
    'requires subscriptions.anchor',
    'requires subscriptions.period',
    'requires subscriptions.period_start',
    'requires subscriptions.failures',
  ],
}

type Schema = Map<string, Map<string, ColumnMetadata>>

async function schemaOf(db: Db): Promise<Schema> {
  const tables = await db.introspection.getTables()
  return new Map(tables.map(({ name, columns }) => [name, new Map(columns.map(each => [each.name, each]))]))
}

function problemsBetween(before: Schema, after: Schema): string[] {
  const problems: string[] = []
  for (const [table, columns] of before) {
    const now = after.get(table)
    if (!now) problems.push(`removes ${table}`)
    for (const name of columns.keys()) if (now && !now.has(name)) problems.push(`removes ${table}.${name}`)
    for (const [name, { isNullable, hasDefaultValue }] of now ?? [])
      if (!columns.has(name) && !isNullable && !hasDefaultValue) problems.push(`requires ${table}.${name}`)
  }
  return problems
}

test('every migration leaves the version before what it uses', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-expand-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const { db, close } = await openSqlite(path.join(dir, 'svc.db'))
  onTestFinished(close)
  const names = Object.keys(migrations('sqlite'))
  const found: Record<string, string[]> = {}
  let before: Schema = new Map()
  for (const [i, name] of names.entries()) {
    await migrateLike(db, 'sqlite', names.slice(0, i + 1))
    const after = await schemaOf(db)
    const problems = problemsBetween(before, after)
    if (problems.length > 0) found[name] = problems
    before = after
  }
  expect(found).toEqual(contracted)
})

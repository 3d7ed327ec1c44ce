// Copies a PostgreSQL database to a SQLite file as it is at one moment, while the platform goes on writing to it.
import type pg from 'pg'
import { Fault } from '../../lib/fault.ts'
import { migrateLike } from '../migrate.ts'
import {
  batchBytes,
  batchRows,
  quoted,
  sizeOf,
  type TableShape,
  tablesOf,
  type Value,
} from '../sqlite/file-tables.ts'
import type { Connection } from '../sqlite/open.ts'
import { openSingleFile, queriesOn } from '../sqlite/single-file.ts'
import { connect, executedMigrations } from './connect.ts'

/** `copy` must not exist. */
export async function snapshotPostgres(url: string, copy: string): Promise<void> {
  const client = await connect(url)
  try {
    const executed = await executedMigrations(client)
    const target = openSingleFile(copy)
    try {
      await migrateLike(queriesOn(target), 'sqlite', executed)
      const tables = tablesOf(target)
      await begin(client, tables)
      if ((await executedMigrations(client)).length !== executed.length)
        throw new Fault('unavailable', 'The schema of the database is being changed. Try again.')
      await copyTables(client, target, tables)
    } finally {
      target.close()
    }
  } finally {
    await client.end()
  }
}

/** The locks come before the snapshot, so that no migration changes a table between the snapshot and its copy. */
async function begin(client: pg.Client, tables: TableShape[]): Promise<void> {
  const names = tables.map(({ name }) => quoted(name)).join(', ')
  await client.query('begin isolation level repeatable read read only')
  await client.query(`lock table ${names} in access share mode`)
}

/** A copy that is interrupted is thrown away, so nothing is synced and no journal is kept. */
async function copyTables(client: pg.Client, target: Connection, tables: TableShape[]): Promise<void> {
  for (const pragma of ['journal_mode = off', 'synchronous = off', 'foreign_keys = off'])
    target.exec(`pragma ${pragma}`)
  target.exec('begin')
  for (const table of tables) await copyTable(client, target, table)
  target.exec('commit')
}

async function copyTable(
  client: pg.Client,
  target: Connection,
  { name, columns }: TableShape,
): Promise<void> {
  const listed = columns.map(quoted).join(', ')
  // Migrations add the first rows of some tables.
  target.exec(`delete from ${quoted(name)}`)
  const insert = target.prepare(
    `insert into ${quoted(name)} (${listed}) values (${columns.map(() => '?').join(', ')})`,
  )
  await client.query(`declare copied no scroll cursor for select ${listed} from ${quoted(name)}`)
  for await (const rows of batches(client)) for (const row of rows) insert.run(...row)
  await client.query('close copied')
}

/** The number of rows follows their size, so that large ones do not fill the memory. */
async function* batches(client: pg.Client): AsyncGenerator<Value[][]> {
  for (let count = 10; ; ) {
    const { rows } = await client.query<Value[]>({ text: `fetch ${count} from copied`, rowMode: 'array' })
    if (rows.length === 0) return
    yield rows
    const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 1)
    count = Math.max(1, Math.min(batchRows, Math.floor((rows.length * batchBytes) / bytes)))
  }
}

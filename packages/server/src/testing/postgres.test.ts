import pg from 'pg'
import { expect, test } from 'vitest'
import { freshPostgres } from './postgres.ts'

test('each call gives an empty database of its own, and drop removes it', async () => {
  const [one, two] = await Promise.all([freshPostgres(), freshPostgres()])
  const client = new pg.Client({ connectionString: one.url })
  // The server closes this connection when the database is dropped.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('CREATE TABLE things (id text)')
  expect(await tables(one.url)).toEqual(['things'])
  expect(await tables(two.url)).toEqual([])
  await Promise.all([one.drop(), two.drop()])
  await expect(tables(one.url)).rejects.toThrow(/does not exist/)
})

async function tables(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  await client.end()
  return rows.map(row => row.tablename)
}

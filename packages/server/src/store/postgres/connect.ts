// One connection to PostgreSQL for copying a whole database. Integers of 64 bits are read exactly.
import pg from 'pg'

const int8 = 20

const types = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === int8 ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    types,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  })
  // A broken connection rejects the query under way, or the next one.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** The names of the migrations that made the schema. Empty if svcd did not make it. */
export async function executedMigrations(client: pg.Client): Promise<string[]> {
  if (!(await tablesOf(client)).includes('kysely_migration')) return []
  const { rows } = await client.query('select name from kysely_migration order by name')
  return rows.map(({ name }) => name as string)
}

/** All tables of the schema that unqualified names refer to. */
export async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    'select tablename as name from pg_tables where schemaname = current_schema() order by 1',
  )
  return rows.map(({ name }) => name as string)
}

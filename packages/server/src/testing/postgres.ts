// A fresh, empty PostgreSQL database for a test file, on the one server that the test run started.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    /** An administrator's URL of the run's PostgreSQL server. */
    postgresUrl: string
  }
}

interface FreshPostgres {
  url: string
  /** Closes all connections to the database and removes it. */
  drop(): Promise<void>
}

export async function freshPostgres(): Promise<FreshPostgres> {
  const admin = inject('postgresUrl')
  const name = `test_${randomBytes(8).toString('hex')}`
  await query(admin, `CREATE DATABASE ${name}`)
  const url = new URL(admin)
  url.pathname = name
  return { url: url.href, drop: () => query(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

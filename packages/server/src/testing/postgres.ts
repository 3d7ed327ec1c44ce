// PostgreSQL databases for test files, on the one server that the test run started.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { openPostgres } from '../store/postgres/store.ts'

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

/** PostgreSQL's own template is empty. The test run migrates the other one before the first test. */
type Template = 'template1' | 'migrated'

/** An empty database. */
export const freshPostgres = (): Promise<FreshPostgres> => newDatabase('template1')

/** A database with the newest schema. It is a copy, because all the migrations take longer. */
export const migratedPostgres = (): Promise<FreshPostgres> => newDatabase('migrated')

export async function makeMigratedTemplate(admin: string): Promise<void> {
  const name: Template = 'migrated'
  await query(admin, `CREATE DATABASE ${name}`)
  const store = await openPostgres(urlOf(admin, name), () => undefined)
  try {
    await store.migrate()
  } finally {
    await store.close()
  }
}

async function newDatabase(template: Template): Promise<FreshPostgres> {
  const admin = inject('postgresUrl')
  const name = `test_${randomBytes(8).toString('hex')}`
  await query(admin, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  const drop = () => query(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  return { url: urlOf(admin, name), drop }
}

function urlOf(admin: string, database: string): string {
  const url = new URL(admin)
  url.pathname = database
  return url.href
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

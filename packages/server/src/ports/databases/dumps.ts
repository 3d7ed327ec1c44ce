// Dumps of databases, made and read by pg_dump and pg_restore. They act as the role of the database: its owner may have made
// functions that run then, and they must not run as the administrator.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Launcher } from './own/launch.ts'
import { ProgramFailed, run } from './own/run.ts'
import { type AppDatabase, DumpRefused } from './port.ts'

interface Login {
  user: string
  password: string
}

export interface DumpTools {
  bin: string
  launcher: Launcher
  /** Where the server is, as the programs see it. */
  host: string
  port: number
}

const environment = ({ host, port }: DumpTools, name: string, { user, password }: Login) => ({
  ...{ PGHOST: host, PGPORT: String(port), PGUSER: user, PGDATABASE: name, PGPASSWORD: password },
  // The defaults of the role are too short for a whole database.
  PGOPTIONS: '-c statement_timeout=0 -c lock_timeout=60s -c idle_in_transaction_session_timeout=0',
})

/** `guest` logs in, and becomes the role of the database. */
export async function dump(tools: DumpTools, name: string, guest: Login, output: Writable): Promise<void> {
  const args = [
    toolAt(tools, 'pg_dump'),
    '--format=custom',
    '--no-owner',
    '--no-acl',
    '--lock-wait-timeout=60s',
    `--role=${name}`,
  ]
  await run(tools.launcher, args, { output, env: environment(tools, name, guest) })
  output.end()
}

/** In one transaction: the database holds everything, or nothing. A text of SQL is refused, because programs read commands in it. */
export async function restore(
  tools: DumpTools,
  database: AppDatabase,
  { dump: input, signal }: { dump: Readable; signal: AbortSignal | undefined },
): Promise<void> {
  const args = [
    ...[toolAt(tools, 'pg_restore'), '--format=custom', `--dbname=${database.name}`],
    ...['--no-owner', '--no-acl', '--no-comments', '--single-transaction', '--exit-on-error'],
  ]
  const env = environment(tools, database.name, { user: database.name, password: database.password })
  try {
    await run(tools.launcher, args, { input, env, ...(signal && { signal }) })
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error
    throw new DumpRefused(firstWords(error.said), { cause: error })
  }
}

const firstWords = (said: string): string =>
  said
    .replace(/^pg_restore: (error: )?/, '')
    .replace(/\s+/g, ' ')
    .slice(0, 300)

function toolAt({ bin }: DumpTools, name: string): string {
  const file = path.join(bin, name)
  if (!existsSync(file))
    throw new Error(
      `${file} is missing: install the client programs of PostgreSQL (Debian: apt-get install postgresql-client)`,
    )
  return file
}

// A PostgreSQL server that an operator names in SVCD_APPS_POSTGRES_URL: reached by TCP, with passwords, and with an administrator that
// is no superuser, as of a rented server.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { postgresPrograms } from './databases-of-apps.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-ports.ts'

/** PostgreSQL refuses to run as root; `nobody` exists everywhere. */
const nobody = 65534
const account = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
const password = 'of-the-superuser'

export interface OperatorsPostgres {
  url: string
  stop(): Promise<void>
}

/** Of the version that has the programs for dumps. */
export async function startOperatorsPostgres(
  more: readonly string[] = [],
): Promise<OperatorsPostgres & { asSuperuser: (statement: string) => Promise<void> }> {
  const dir = await mkdtemp('/tmp/svc-operators-')
  const [data, passwordFile] = [path.join(dir, 'data'), path.join(dir, 'password')]
  await writeFile(passwordFile, password)
  if (account.uid) for (const it of [dir, passwordFile]) await chown(it, nobody, nobody)
  const initdb = [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--no-sync',
  ]
  const [code] = await once(run('initdb', initdb, dir), 'exit')
  if (code !== 0) throw new Error(`initdb ended with ${code}`)
  const port = await freePort()
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'max_connections=200',
    ...more,
  ]
  const server = run('postgres', ['-D', data, '-p', `${port}`, ...settings.flatMap(it => ['-c', it])], dir)
  const superuser = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`
  return {
    url: await eventually(() => makeAdministrator(superuser)),
    async asSuperuser(statement) {
      const client = new pg.Client(superuser)
      await client.connect()
      await client.query(statement)
      await client.end()
    },
    async stop() {
      const ended = once(server, 'exit')
      server.kill('SIGQUIT')
      await ended
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function run(program: string, args: string[], cwd: string): ChildProcess {
  return spawn(path.join(postgresPrograms, program), args, { ...account, cwd, stdio: 'ignore' })
}

/** Returns the URL of a new role with the rights that docs/database.md asks for. */
export async function makeAdministrator(superuser: string): Promise<string> {
  const client = new pg.Client(superuser)
  await client.connect()
  const name = `operator_${Math.random().toString(36).slice(2, 10)}`
  await client.query(`create role ${name} login createrole createdb password 'of-the-operator'`)
  await client.end()
  const url = new URL(superuser)
  Object.assign(url, { username: name, password: 'of-the-operator' })
  return url.href
}

// Lets programs on this machine use the project's database: prints a URL that works while the command runs, or starts psql.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Run } from '../../command.ts'
import { environment } from '../../environment.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import type { OptionValues } from '../../options.ts'
import { notice, print } from '../../output.ts'
import { connect } from '../../session.ts'
import { type LocalServer, listenForClients } from './local-server.ts'
import { openTunnel } from './tunnel.ts'

export const showUrl: Run = async ({ options }) => {
  requireProject(options)
  if (!options.temporary)
    throw new Failure('The database has no address outside of the platform.', {
      hint: "'svc db url --temporary' prints one that works while the command runs.",
    })
  const { host, port, password, database } = await openDatabase(options)
  process.once('SIGINT', () => process.exit(0))
  notice('This works on this machine while this command runs. Ctrl-C ends it.')
  print(`postgresql://${database}:${password}@${host}:${port}/${database}?sslmode=disable`)
}

export const openShell: Run = async ({ args, options }) => {
  const { host, port, password, database, close } = await openDatabase(options)
  const variables = {
    ...{ PGHOST: host, PGPORT: String(port), PGUSER: database, PGDATABASE: database, PGPASSWORD: password },
    ...{ PGSSLMODE: 'disable', PGGSSENCMODE: 'disable' },
    // Those of the user that would lead elsewhere, or refuse a password.
    ...{ PGHOSTADDR: undefined, PGSERVICE: undefined, PGCHANNELBINDING: undefined, PGREQUIREAUTH: undefined },
  }
  // Ctrl-C ends the query, not psql.
  process.on('SIGINT', () => undefined)
  const psql = spawn('psql', args, { stdio: 'inherit', env: { ...environment.withoutToken(), ...variables } })
  const [code] = (await once(psql, 'exit').catch(notInstalled).finally(close)) as [number | null]
  process.exit(code ?? 1)
}

function notInstalled(cause: NodeJS.ErrnoException): never {
  if (cause.code !== 'ENOENT') throw cause
  throw new Failure('psql is not installed.', {
    hint: "Install it (Debian, Ubuntu: apt-get install postgresql-client; macOS: brew install libpq), or use another client with 'svc db url --temporary'.",
  })
}

/** Fails at once if the platform refuses connections. */
async function openDatabase(options: OptionValues): Promise<LocalServer & { database: string }> {
  const name = requireProject(options)
  const branch = options.branch
  const answer = await connect()('GET /projects/:name/database', { params: { name } })
  const database =
    branch === undefined ? answer.database : answer.previews?.find(preview => preview.branch === branch)
  if (!database?.name)
    throw new Failure(
      branch === undefined
        ? `${name} has no database. 'svc db create' makes one.`
        : `No preview of the branch '${branch}' has a database. 'svc db' lists those that have.`,
    )
  const place = { name, branch }
  ;(await openTunnel(place)).destroy()
  return { ...(await listenForClients(place)), database: database.name }
}

// The databases of projects on a server of the operator, whose administrator is no superuser.
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { keepDatabases } from '../core/databases/keeping.ts'
import { openDatabase } from '../core/databases/password.ts'
import { runStatements } from '../lib/postgres-statements.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { asRole, canDump, postgresPrograms } from '../testing/databases-of-apps.ts'
import {
  makeAdministrator,
  type OperatorsPostgres,
  startOperatorsPostgres,
} from '../testing/operators-postgres.ts'
import { send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'

/** The server that the tests bring along is newer than the programs for dumps of this machine may be. */
const brought = async (): Promise<OperatorsPostgres> => ({
  url: await makeAdministrator(inject('postgresUrl')),
  stop: async () => undefined,
})

describe.each([
  ['the version of this machine', () => startOperatorsPostgres()],
  ['the newest version', brought],
])('on a server of the operator, of %s', (version, start) => {
  let postgres: OperatorsPostgres
  let server: TestServer

  beforeAll(async () => {
    postgres = await start()
    server = await TestServer.start('sqlite', {
      SVCD_APPS_POSTGRES_URL: postgres.url,
      SVCD_POSTGRES_PROGRAMS: postgresPrograms,
    })
  })
  afterAll(async () => {
    await server?.remove()
    await postgres?.stop()
  })

  const platform = () => server.running.platform
  const ask = (app: TestApp, line: `${string} /${string}` | string, body?: unknown) => {
    const [method, more = ''] = line.split(' ')
    return send(server, `${method} /projects/${app.name}/database${more}` as 'GET /x', app, body)
  }

  async function created(app: TestApp): Promise<string> {
    const made = await ask(app, 'POST', {})
    expect([made.status, made.text]).toEqual([201, expect.any(String)])
    return made.json.database.name
  }

  /** As the role of the database. */
  async function connected<T>(name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const row = await platform()
      .store.db.selectFrom('app_databases')
      .selectAll()
      .where('id', '=', name)
      .executeTakeFirstOrThrow()
    const { host, port } = platform().databases!.address()
    const { password } = openDatabase(platform(), row)
    return await asRole({ host, port, user: name, password }, work)
  }

  function administrator() {
    const { hostname: host, port, username: user, password } = new URL(postgres.url)
    return { host, port: Number(port), user, password, database: 'postgres' }
  }

  const notesIn = (name: string) =>
    connected(name, async client => (await client.query('select note from notes')).rows)

  it('a database is closed and opened, and deleted for good while an app is connected', async () => {
    const app = await TestApp.create(server)
    const name = await created(app)
    await connected(name, client => client.query("create table notes as select 'kept' as note"))
    await connected(name, async busy => {
      const ended = busy.query('select pg_sleep(100)').catch((error: Error) => error.message)
      await ask(app, 'DELETE', { confirm: app.name })
      expect(await ended).toContain('terminat')
    })
    expect((await ask(app, 'POST', { restore: true })).status).toBe(201)
    expect(await notesIn(name)).toEqual([{ note: 'kept' }])
    await connected(name, async busy => {
      const ended = busy.query('select pg_sleep(100)').catch((error: Error) => error.message)
      await platform().databases!.remove(name)
      expect(await ended).toContain('terminat')
    })
    await platform().databases!.remove(name)
    expect((await platform().databases!.list()).map(use => use.name)).not.toContain(name)
    await keepDatabases(platform())
  })

  it('a statement is ended from outside', async () => {
    const app = await TestApp.create(server)
    const name = await created(app)
    await connected(name, async busy => {
      const { rows } = await busy.query('select pg_backend_pid() as pid')
      const ended = busy.query('select pg_sleep(100)').catch((error: Error) => error.message)
      await platform().databases!.signal(name, rows[0].pid, 'cancel')
      expect(await ended).toContain('canceling')
      expect((await ask(app, 'GET /queries')).json.connections).toBe(1)
    })
  })

  it('a role of an earlier version, which its administrator had not joined, is closed all the same', async () => {
    const app = await TestApp.create(server)
    const name = await created(app)
    await asRole(administrator(), admin => admin.query(`revoke "${name}" from current_user`))
    await keepDatabases(platform())
    await connected(name, async busy => {
      const ended = busy.query('select pg_sleep(100)').catch((error: Error) => error.message)
      await ask(app, 'DELETE', { confirm: app.name })
      expect(await ended).toContain('terminat')
    })
  })

  it.runIf(canDump && version !== 'the newest version')(
    'a dump is restored, undone, and copied into a preview with its masking (needs pg_dump)',
    async () => {
      const app = await TestApp.create(server)
      const before = await created(app)
      await connected(before, client => client.query("create table notes as select 'dumped' as note"))
      const dump = await ask(app, 'GET /dump')
      expect([dump.status, dump.body.subarray(0, 5).toString()]).toEqual([200, 'PGDMP'])
      await connected(before, client => client.query("update notes set note = 'later'"))
      const loaded = await server.request(`/projects/${app.name}/database/load?confirm=${app.name}`, {
        method: 'POST',
        token: app.token,
        body: dump.body,
        headers: { 'content-type': 'application/octet-stream' },
      })
      expect([loaded.status, loaded.text]).toEqual([200, expect.any(String)])
      const { name } = loaded.json.database
      expect(await notesIn(name)).toEqual([{ note: 'dumped' }])
      await expect(notesIn(before)).rejects.toThrow('not permitted to log in')

      // Two rows, so that there is a most common value.
      const preview_mask = "insert into notes table notes; analyze notes; update notes set note = 'masked'"
      await ask(app, 'PATCH', { preview_data: 'copy', preview_mask })
      await app.deploy(procfileApp(), '?branch=topic')
      const [preview] = (await ask(app, 'GET')).json.previews
      expect(await notesIn(preview.name)).toEqual([{ note: 'masked' }, { note: 'masked' }])
      const noted = await connected(preview.name, client =>
        client.query("select most_common_vals::text as noted from pg_stats where tablename = 'notes'"),
      )
      expect(noted.rows).toEqual([{ noted: '{masked}' }])

      expect((await ask(app, 'POST', { restore: true })).json.database.name).toBe(before)
      expect(await notesIn(before)).toEqual([{ note: 'later' }])
    },
  )
})

it('nobody becomes the administrator whom the URL names behind its question mark', async () => {
  const url = new URL(await makeAdministrator(inject('postgresUrl')))
  const { username: user, password } = url
  Object.assign(url, { username: '', password: '', search: `${new URLSearchParams({ user, password })}` })
  const server = await TestServer.start('sqlite', { SVCD_APPS_POSTGRES_URL: url.href })
  onTestFinished(() => server.remove())
  const app = await TestApp.create(server)
  expect((await send(server, `POST /projects/${app.name}/database`, app, {})).status).toBe(201)
  const { platform } = server.running
  const [row] = await platform.store.db.selectFrom('app_databases').selectAll().execute()
  const { bytes } = await platform.databases!.signIn(openDatabase(platform, row!), {})
  const signal = new AbortController().signal
  await expect(runStatements(bytes, ['create role intruder'], signal)).rejects.toThrow('permission denied')
})

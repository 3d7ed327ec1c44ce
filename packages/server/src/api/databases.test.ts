// The PostgreSQL databases of projects: through the API, and from apps in their sandbox.
import { execFileSync } from 'node:child_process'
import { request } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { limits } from '@svc/contract'
import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { keepDatabases } from '../core/databases/keeping.ts'
import { openDatabase } from '../core/databases/password.ts'
import { databaseOfPreview } from '../core/databases/previews.ts'
import { resealAll } from '../core/platform/keys.ts'
import { Keyring, SealKey } from '../lib/seal.ts'
import { countByKey } from '../store/platform/sealed.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { asRole, canDump, postgresPrograms, withDatabases } from '../testing/databases-of-apps.ts'
import { eventually } from '../testing/eventually.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

/** Speaks as much of PostgreSQL's protocol as it takes to see that the server is there. */
const program = `
const http = require('node:http')
const net = require('node:net')
http.createServer((req, res) => {
  if (req.url === '/env') return res.end(JSON.stringify(process.env))
  const socket = net.connect(process.env.PGHOST + '/.s.PGSQL.' + process.env.PGPORT)
  socket.on('error', error => res.end(error.message))
  socket.on('connect', () => socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])))
  socket.on('data', data => res.end('PostgreSQL says ' + data))
}).listen(process.env.PORT, process.env.HOSTNAME)
`

/** The databases of all these tests are on one server. */
const manyDatabases = { ...withDatabases, SVCD_APPS_POSTGRES_CONNECTIONS: '600' }

onEveryServer(server => {
  const call = (app: TestApp, method: string, body?: unknown, more = '') =>
    server().request(`/projects/${app.name}/database${more}`, { method, token: app.token, body })

  const platform = () => server().running.platform

  const load = (app: { name: string; token: string; confirm?: string }, body: Buffer) =>
    server().request(`/projects/${app.name}/database/load?confirm=${app.confirm ?? app.name}`, {
      method: 'POST',
      token: app.token,
      body,
      headers: { 'content-type': 'application/octet-stream' },
    })

  /** Databases without a row, and rows without a project. */
  async function leftovers(): Promise<string[]> {
    const rows = await platform().store.db.selectFrom('app_databases').selectAll().execute()
    const names = (await platform().databases!.list()).map(({ name }) => name)
    return [
      ...names.filter(name => !rows.some(({ id }) => id === name)),
      ...rows.flatMap(({ id, project_id }) => (project_id === null ? [id] : [])),
    ]
  }

  /** Whether a dump is being read into a database without a project. */
  /** Sends all but the end of a dump. */
  async function beginLoad(app: TestApp, dump: Buffer) {
    const { port } = server().running
    const headers = {
      authorization: `Bearer ${app.token}`,
      ...{ 'content-type': 'application/octet-stream', 'content-length': dump.length },
    }
    const path = `/projects/${app.name}/database/load?confirm=${app.name}`
    const asking = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false })
    const answered = new Promise<string>(resolve => {
      asking.on('error', error => resolve(error.message))
      asking.on('response', answer => resolve(text(answer)))
    })
    const sentBytes = dump.length - 100
    asking.write(dump.subarray(0, sentBytes))
    await eventually(isFilling)
    return { asking, answered, sendRest: () => asking.end(dump.subarray(sentBytes)) }
  }

  async function isFilling(): Promise<boolean> {
    const [candidate] = await leftovers()
    const use = (await platform().databases!.list()).find(({ name }) => name === candidate)
    return use !== undefined && use.connections > 0
  }

  /** A dump in which another statement of the same length is the definition of a view. */
  function withStatement(dump: Buffer, statement: string): Buffer {
    const text = dump.toString('latin1')
    const start = text.indexOf('CREATE VIEW public.padding')
    const end = text.indexOf(';', start)
    return Buffer.from(text.slice(0, start) + statement.padEnd(end - start) + text.slice(end), 'latin1')
  }

  /** Makes a table whose row takes long in every other database. */
  const slowElsewhere = (name: string) =>
    `create table notes (i int check (case when current_database() = '${name}' then true else pg_sleep(600) is not null end)); insert into notes values (1)`

  const rowOf = async (name: string) =>
    await platform()
      .store.db.selectFrom('app_databases')
      .selectAll()
      .where('id', '=', name)
      .executeTakeFirstOrThrow()

  /** As the role of the database. */
  async function connected<T>(name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const { password } = openDatabase(platform(), await rowOf(name))
    const host = path.join(server().dataDir, 'postgresql', 'socket')
    return await asRole({ host, user: name, password }, work)
  }

  const created = async (app: TestApp): Promise<string> => {
    const answer = await call(app, 'POST', {})
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
    return answer.json.database.name
  }

  describe('the database of a project', () => {
    it('is created, described, removed under its name and brought back with its rows', async () => {
      const app = await TestApp.create(server())
      expect((await call(app, 'GET')).json).toEqual({ database: null, removed: null, previews: [] })
      const name = await created(app)
      expect((await call(app, 'GET')).json).toMatchObject({
        database: { name, status: 'ready', size_bytes: 1024 ** 3, connections: 15, variable: 'set' },
        removed: null,
      })
      await connected(name, client => client.query("create table notes as select 'kept' as note"))
      const again = await call(app, 'POST', {})
      expect([again.status, again.json.error.code]).toEqual([409, 'name_taken'])
      const unnamed = await call(app, 'DELETE', { confirm: 'other' })
      expect([unnamed.status, unnamed.json.error.code]).toEqual([400, 'invalid_request'])
      const removed = await call(app, 'DELETE', { confirm: app.name })
      expect(removed.json).toMatchObject({ ok: true, removed: { name } })
      await expect(connected(name, async () => undefined)).rejects.toThrow('not permitted to log in')
      expect((await call(app, 'GET')).json).toMatchObject({ database: null, removed: { name } })
      const back = await call(app, 'POST', { restore: true })
      expect([back.status, back.json.database.name]).toEqual([201, name])
      const { rows } = await connected(name, client => client.query('select note from notes'))
      expect(rows).toEqual([{ note: 'kept' }])
    })

    it('is deleted for good 7 days after its removal, and that of a deleted project, too', async () => {
      const [app, gone] = [await TestApp.create(server()), await TestApp.create(server())]
      const names = [await created(app), await created(gone)]
      await call(app, 'DELETE', { confirm: app.name })
      await server().client(gone.token)('DELETE /projects/:name', { params: { name: gone.name } })
      await keepDatabases(platform())
      await expect(connected(names[1]!, async () => undefined)).rejects.toThrow('not permitted to log in')
      server().clock.advance(7 * 24 * 60 * 60_000)
      await keepDatabases(platform())
      const left = (await platform().databases!.list()).map(({ name }) => name)
      expect(left).not.toEqual(expect.arrayContaining([names[0]]))
      expect(left).not.toEqual(expect.arrayContaining([names[1]]))
      expect((await call(app, 'POST', { restore: true })).status).toBe(404)
    })

    it.runIf(canDump)('is dumped as its role, for admins alone (needs pg_dump)', async () => {
      const team = await makeTeam(server())
      const project = freshName()
      await server().client(team.owner.token)('POST /projects', { body: { name: project, org: team.org } })
      const target = `/projects/${project}/database`
      const ask = (method: string, token: string, more = '', body?: unknown) =>
        server().request(target + more, { method, token, body })
      expect((await ask('GET', team.admin.token, '/dump')).status).toBe(404)
      const name = (await ask('POST', team.admin.token, '', {})).json.database.name
      await connected(name, client => client.query("create table notes as select 'kept' as note"))
      expect((await ask('GET', team.member.token, '/dump')).status).toBe(403)
      const { status, body } = await ask('GET', team.admin.token, '/dump')
      expect([status, body.subarray(0, 5).toString()]).toEqual([200, 'PGDMP'])
      const list = execFileSync(path.join(postgresPrograms, 'pg_restore'), ['--list'], { input: body })
      expect(String(list)).toContain('TABLE DATA public notes')
      // Who stores more than is allowed can still take it along.
      await platform().databases!.setMode(name, 'closed')
      expect((await ask('GET', team.admin.token, '/dump')).status).toBe(200)
      await expect(connected(name, async () => undefined)).rejects.toThrow('not permitted to log in')
    })

    it.runIf(canDump)(
      'is dumped for several at a time, and their roles are gone afterwards (needs pg_dump)',
      async () => {
        const app = await TestApp.create(server())
        const name = await created(app)
        const dumps = await Promise.all([1, 2, 3].map(() => call(app, 'GET', undefined, '/dump')))
        expect(dumps.map(({ status }) => status)).toEqual([200, 200, 200])
        const roles = () =>
          connected(name, client =>
            client.query('select rolname from pg_roles where starts_with(rolname, $1)', [name]),
          )
        await eventually(async () => (await roles()).rows.length === 1)
      },
    )

    it.runIf(canDump)('ends a dump whose client goes away (needs pg_dump)', async () => {
      const app = await TestApp.create(server())
      const name = await created(app)
      // More than the buffers between pg_dump and the client hold.
      await connected(name, client =>
        client.query(
          'create table large as select md5(random()::text) || md5(random()::text) || md5(random()::text) as text from generate_series(1, 400000)',
        ),
      )
      const connections = async () =>
        (await platform().databases!.list()).find(use => use.name === name)?.connections
      await eventually(async () => (await connections()) === 0)
      const gone = new AbortController()
      const answer = await fetch(`${server().apiUrl}/projects/${app.name}/database/dump`, {
        headers: { authorization: `Bearer ${app.token}` },
        signal: gone.signal,
      })
      await answer.body!.getReader().read()
      expect(await connections()).toBe(1)
      gone.abort()
      await eventually(async () => (await connections()) === 0)
    })

    it.runIf(canDump)('takes a dump in, and goes back to what it held before (needs pg_dump)', async () => {
      const app = await TestApp.create(server())
      const before = await created(app)
      await connected(before, client =>
        client.query("create table notes (note text primary key); insert into notes values ('dumped')"),
      )
      const dump = (await call(app, 'GET', undefined, '/dump')).body
      // Something that depends on it: it is not in the dump, and not in the way.
      await connected(before, client =>
        client.query("insert into notes values ('later'); create view later as select * from notes"),
      )
      const id = await app.deploy(procfileApp('one', program))
      const loaded = await load(app, dump)
      expect(loaded.json).toMatchObject({
        database: { status: 'ready', connections: 15 },
        removed: { name: before },
      })
      const { name } = loaded.json.database
      expect(name).not.toBe(before)
      const notesOf = async (database: string) =>
        (await connected(database, client => client.query('select note from notes'))).rows.map(
          row => row.note,
        )
      expect(await notesOf(name)).toEqual(['dumped'])
      await eventually(async () => (await app.ask(id, '/env')).includes(name))
      await expect(connected(before, async () => undefined)).rejects.toThrow('not permitted to log in')
      const audit = await server().request(`/projects/${app.name}/audit`, { token: app.token })
      expect(audit.text).toContain('"database.load"')

      expect((await call(app, 'POST', { restore: true })).json.database.name).toBe(before)
      expect(await notesOf(before)).toEqual(['dumped', 'later'])
      expect((await call(app, 'GET')).json.removed.name).toBe(name)
    })

    it.runIf(canDump)('stays as it was if a dump cannot be restored (needs pg_dump)', async () => {
      const team = await makeTeam(server())
      const project = freshName()
      await server().client(team.owner.token)('POST /projects', { body: { name: project, org: team.org } })
      const app = { name: project, token: team.admin.token } as TestApp
      expect((await load(app, Buffer.from('PGDMP'))).status).toBe(404)
      const name = await created(app)
      await connected(name, client => client.query("create table notes as select 'kept' as note"))
      const dump = (await call(app, 'GET', undefined, '/dump')).body
      const answers = [
        await load(app, dump.subarray(0, dump.length - 200)),
        await load(app, Buffer.from('\\! touch /tmp/x\ndrop table notes;\n')),
        await load(app, Buffer.alloc(0)),
        await load({ ...app, confirm: 'other' }, dump),
        await load({ ...app, token: team.member.token }, dump),
      ]
      expect(answers.map(({ status, json }) => [status, json.error.code])).toEqual([
        [400, 'invalid_archive'],
        [400, 'invalid_archive'],
        [400, 'invalid_archive'],
        [400, 'invalid_request'],
        [403, 'forbidden'],
      ])
      expect(answers[1]!.json.error.message).toContain('nothing was changed: ')
      const { db } = platform().store
      const until = server().clock.now() + 60_000
      const otherNode = { filled_by: 'another node', filled_until: until }
      await db.updateTable('app_databases').set(otherNode).where('id', '=', name).execute()
      expect((await load(app, dump)).json.error.code).toBe('run_under_way')
      server().clock.advance(61_000)
      const { rows } = await connected(name, client => client.query('select note from notes'))
      expect(rows).toEqual([{ note: 'kept' }])
      // From now on svcd may close it at any moment, since it is too large.
      await db.updateTable('app_databases').set({ size_bytes: 100 }).where('id', '=', name).execute()
      expect((await load(app, dump)).json.error.code).toBe('payload_too_large')
      expect(await leftovers()).toEqual([])
    })

    /** Long enough that the part which is sent says what the rest is. */
    async function longDump(app: TestApp, name: string): Promise<Buffer> {
      await connected(name, client =>
        client.query('create table notes as select md5(i::text) from generate_series(1, 2000) i'),
      )
      return (await call(app, 'GET', undefined, '/dump')).body
    }

    it.runIf(canDump)(
      'stays as it was if the client goes away, or after an hour (needs pg_dump)',
      async () => {
        const app = await TestApp.create(server())
        const name = await created(app)
        const dump = await longDump(app, name)
        const left = await beginLoad(app, dump)
        left.asking.destroy()
        await eventually(async () => (await leftovers()).length === 0)
        const slow = await beginLoad(app, dump)
        server().clock.advance(61 * 60_000)
        expect(await slow.answered).toContain('was not restored within 60 minutes. Nothing was changed.')
        expect(await leftovers()).toEqual([])
        expect((await call(app, 'GET')).json).toMatchObject({ database: { name }, removed: null })
      },
    )

    it.runIf(canDump)(
      'keeps what an admin says of the copies of previews while a dump is restored (needs pg_dump)',
      async () => {
        const app = await TestApp.create(server())
        const name = await created(app)
        const dump = await longDump(app, name)
        const { answered, sendRest } = await beginLoad(app, dump)
        const previews = { preview_data: 'copy', preview_mask: "update notes set md5 = 'x'" }
        expect((await call(app, 'PATCH', previews)).status).toBe(200)
        sendRest()
        expect(JSON.parse(await answered).database).toMatchObject(previews)
        expect((await call(app, 'GET')).json).toMatchObject({ database: previews, removed: { name } })
      },
    )

    it.runIf(canDump)('gives up a dump whose client has gone after it sent all (needs pg_dump)', async () => {
      const app = await TestApp.create(server())
      const name = await created(app)
      await connected(name, client => client.query(slowElsewhere(name)))
      const dump = (await call(app, 'GET', undefined, '/dump')).body
      const leaving = new AbortController()
      const answered = fetch(`${server().apiUrl}/projects/${app.name}/database/load?confirm=${app.name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/octet-stream' },
        body: dump,
        signal: leaving.signal,
      })
      answered.catch(() => undefined)
      await eventually(isFilling)
      leaving.abort()
      await expect(answered).rejects.toThrow()
      await eventually(async () => (await leftovers()).length === 0)
      expect((await call(app, 'GET')).json).toMatchObject({ database: { name }, removed: null })
    })

    it.runIf(canDump)('takes a dump in with the rights of its role alone (needs pg_dump)', async () => {
      const [app, other] = [await TestApp.create(server()), await TestApp.create(server())]
      const [name, secret] = [await created(app), await created(other)]
      await connected(secret, client => client.query("create table secrets as select 'hunter2' as secret"))
      await connected(name, client =>
        client.query(`create view padding as select '${'x'.repeat(100)}'::text as x`),
      )
      const dump = (await call(app, 'GET', undefined, '/dump')).body
      const attacks = [
        "copy t from program 'id'",
        "copy t from '/etc/passwd'",
        `drop database ${secret}`,
        'set session authorization svcd',
        `set role ${secret}`,
        `alter role ${secret} password 'x'`,
        'alter role current_user superuser',
      ]
      for (const attack of attacks) {
        const answer = await load(app, withStatement(dump, attack))
        expect([answer.json.error?.code, answer.json.error?.message]).toEqual([
          'invalid_archive',
          expect.stringMatching(/permission denied|must be|must have|Only roles|cannot/),
        ])
      }
      const { rows } = await connected(secret, client => client.query('select secret from secrets'))
      expect(rows).toEqual([{ secret: 'hunter2' }])
      await connected(name, client => client.query('select 1'))
    })

    it('deletes what an svcd that ended left of a dump', async () => {
      const app = await TestApp.create(server())
      const name = await created(app)
      const left = { ...(await rowOf(name)), id: 'svc_leftover0000', project_id: null, ready_at: null }
      const password = platform().keyring.current.seal('secret', ['app-database', left.id])
      await platform()
        .store.db.insertInto('app_databases')
        .values({ ...left, ...password })
        .execute()
      await platform().databases!.ensure({ name: left.id, password: 'secret', connections: 1 })
      await keepDatabases(platform())
      expect((await rowOf(left.id)).removed_at).toBeNull()
      server().clock.advance(2 * 60 * 60_000)
      await keepDatabases(platform())
      await keepDatabases(platform())
      expect(await leftovers()).not.toContain(left.id)
    })

    it('is not deleted while a svcd fills it', async () => {
      const app = await TestApp.create(server())
      const name = await created(app)
      const exists = async () => (await platform().databases!.list()).some(use => use.name === name)
      const filled_until = server().clock.now() + 60_000
      const over = { removed_at: 0, ready_at: null, filled_by: 'another node', filled_until }
      const rows = platform().store.db.updateTable('app_databases').where('id', '=', name)
      await rows.set(over).execute()
      await keepDatabases(platform())
      expect(await exists()).toBe(true)
      server().clock.advance(61_000)
      await keepDatabases(platform())
      expect(await exists()).toBe(false)
    })

    it('can be seen by members, and created and removed by admins', async () => {
      const team = await makeTeam(server())
      const name = freshName()
      await server().client(team.owner.token)('POST /projects', { body: { name, org: team.org } })
      const target = `/projects/${name}/database`
      const asMember = (method: string, body?: unknown) =>
        server().request(target, { method, token: team.member.token, body })
      expect((await asMember('GET')).status).toBe(200)
      expect((await asMember('POST', {})).status).toBe(403)
      expect((await asMember('DELETE', { confirm: name })).status).toBe(403)
      expect((await asMember('PATCH', { preview_data: 'copy' })).status).toBe(403)
      const made = await server().request(target, { method: 'POST', token: team.admin.token, body: {} })
      expect(made.status).toBe(201)
      const audit = await server().request(`/projects/${name}/audit`, { token: team.admin.token })
      expect(audit.text).toContain('"database.create"')
    })

    it('becomes read-only when it is too large, closes when it grows on, and opens when it is small again', async () => {
      const app = await TestApp.create(server())
      const name = await created(app)
      const { db } = platform().store
      const withLimit = async (factor: number) => {
        const used = (await platform().databases!.list()).find(each => each.name === name)!.usedBytes
        const size_bytes = Math.round(used * factor)
        await db.updateTable('app_databases').set({ size_bytes }).where('id', '=', name).execute()
        await keepDatabases(platform())
        return (await call(app, 'GET')).json.database.status
      }
      expect(await withLimit(0.95)).toBe('read_only')
      await expect(connected(name, client => client.query('create table a (b int)'))).rejects.toThrow(
        'read-only',
      )
      expect(await withLimit(0.5)).toBe('closed')
      await expect(connected(name, async () => undefined)).rejects.toThrow('not permitted to log in')
      expect(await withLimit(2)).toBe('ready')
      await connected(name, client => client.query('create table a (b int)'))
    })

    it('has a password that is sealed, and sealed anew when the keys are rotated', async () => {
      const app = await TestApp.create(server())
      const name = await created(app)
      const before = openDatabase(platform(), await rowOf(name)).password
      expect((await rowOf(name)).sealed).not.toContain(before)
      const fresh = SealKey.fresh()
      const keyring = new Keyring(() => [fresh, ...platform().keyring.keys])
      const vault = { store: platform().store, keyring }
      await resealAll(vault, () => undefined)
      expect([...(await countByKey(platform().store.db)).keys()]).toEqual([fresh.id])
      expect(openDatabase(vault, await rowOf(name)).password).toBe(before)
      const back = new Keyring(() => [...platform().keyring.keys, fresh])
      await resealAll({ store: platform().store, keyring: back }, () => undefined)
      expect(openDatabase(platform(), await rowOf(name)).password).toBe(before)
    })
  })

  describe('an app', () => {
    it('gets DATABASE_URL and reaches the server by its socket', async () => {
      const app = await TestApp.create(server())
      const name = await created(app)
      const files = procfileApp('one', program)
      const id = await app.deploy(files)
      const env = JSON.parse(await app.ask(id, '/env'))
      expect(env).toMatchObject({ PGUSER: name, PGDATABASE: name, PGPORT: '5432' })
      expect(env.DATABASE_URL).toBe(
        `postgresql://${name}:${env.PGPASSWORD}@localhost:5432/${name}?host=${env.PGHOST}`,
      )
      expect(await app.ask(id, '/')).toBe('PostgreSQL says N')
    })

    it('has a database of its own in each preview, with nothing of production, which goes with the branch', async () => {
      const app = await TestApp.create(server())
      const name = await created(app)
      const files = procfileApp('one', program)
      const live = JSON.parse(await app.ask(await app.deploy(files), '/env'))
      const first = await app.deploy(files, '?branch=topic')
      const shown = await app.ask(first, '/env')
      expect(shown).not.toContain(live.PGPASSWORD)
      expect(shown).not.toContain(name)
      const { PGUSER: own, PGPASSWORD: password } = JSON.parse(shown)
      expect(await app.ask(first, '/')).toBe('PostgreSQL says N')
      const host = path.join(server().dataDir, 'postgresql', 'socket')
      const intrude = (user: string, database: string) =>
        asRole({ host, user, password, database }, client => client.query('select 1'))
      await expect(intrude(own, name)).rejects.toThrow('pg_hba.conf rejects')
      await expect(intrude(name, name)).rejects.toThrow('authentication failed')
      await connected(own, client => client.query("create table notes as select 'of topic' as note"))

      const again = JSON.parse(await app.ask(await app.deploy(files, '?branch=topic'), '/env'))
      const other = JSON.parse(await app.ask(await app.deploy(files, '?branch=other'), '/env'))
      expect([again.PGUSER, [own, name].includes(other.PGUSER)]).toEqual([own, false])
      expect((await call(app, 'GET')).json.previews).toMatchObject([
        { branch: 'other' },
        { branch: 'topic', name: own },
      ])

      const { db } = platform().store
      await db
        .updateTable('deployments')
        .set({ status: 'superseded' })
        .where('git_branch', '=', 'topic')
        .execute()
      await keepDatabases(platform())
      expect((await call(app, 'GET')).json.previews).toHaveLength(2)
      server().clock.advance(2 * 60 * 60_000)
      await keepDatabases(platform())
      expect((await call(app, 'GET')).json.previews).toMatchObject([{ branch: 'other' }])
      const names = (await platform().databases!.list()).map(each => each.name)
      expect(names).toEqual(expect.arrayContaining([name, other.PGUSER]))
      expect(names).not.toContain(own)

      await call(app, 'DELETE', { confirm: app.name })
      server().clock.advance(8 * 24 * 60 * 60_000)
      await keepDatabases(platform())
      await keepDatabases(platform())
      expect((await platform().databases!.list()).map(each => each.name)).not.toContain(other.PGUSER)
    })

    it.runIf(canDump)(
      'begins a preview with a copy of its data if an admin wants that (needs pg_dump)',
      async () => {
        const app = await TestApp.create(server())
        const name = await created(app)
        await connected(name, client => client.query("create table notes as select 'of production' as note"))
        const files = procfileApp('one', program)
        await app.deploy(files)
        const before = JSON.parse(await app.ask(await app.deploy(files, '?branch=before'), '/env'))
        const changed = await call(app, 'PATCH', { preview_data: 'copy' })
        expect([changed.status, changed.json.database?.preview_data]).toEqual([200, 'copy'])
        const env = JSON.parse(await app.ask(await app.deploy(files, '?branch=topic'), '/env'))
        const { rows } = await connected(env.PGUSER, client => client.query('select note from notes'))
        expect(rows).toEqual([{ note: 'of production' }])
        expect([env.PGUSER, env.PGPASSWORD]).not.toContain(name)
        await connected(env.PGUSER, client => client.query('drop table notes'))
        expect((await connected(name, client => client.query('select * from notes'))).rows).toHaveLength(1)
        await expect(connected(before.PGUSER, client => client.query('select * from notes'))).rejects.toThrow(
          'does not exist',
        )
        const again = await app.deploy(files, '?branch=topic')
        expect(JSON.parse(await app.ask(again, '/env')).PGUSER).toBe(env.PGUSER)
        await expect(connected(env.PGUSER, client => client.query('select * from notes'))).rejects.toThrow()

        // What cannot be copied fails the deployment, and says what to do.
        await connected(name, client =>
          client.query('create function broken(a int) returns int language sql immutable as $$ select 1 $$'),
        )
        await connected(name, client =>
          client.query(
            'create table bad (a int, check (broken(a) = 1)); insert into bad values (1); create or replace function broken(a int) returns int language sql immutable as $$ select 0 $$',
          ),
        )
        const failed = await app.upload(files, '?branch=other')
        expect([failed.status, failed.json.error?.message]).toEqual([
          422,
          expect.stringContaining('The data of production was not copied.'),
        ])
        expect(failed.json.error.message).toContain('svc db previews empty')
        await call(app, 'PATCH', { preview_data: 'empty' })
        await app.deploy(files, '?branch=other')
      },
    )

    it.runIf(canDump)('masks a copy before its app can connect (needs pg_dump)', async () => {
      const app = await TestApp.create(server())
      const name = await created(app)
      const files = procfileApp('one', program)
      await connected(name, client => client.query("create table users as select 'ada@example.com' as email"))
      const emailIn = async (user: string) =>
        (await connected(user, client => client.query('select email from users'))).rows
      const mask = (sql: string | null) => call(app, 'PATCH', { preview_data: 'copy', preview_mask: sql })
      const previewOf = async (branch: string) =>
        (await call(app, 'GET')).json.previews.find((each: { branch: string }) => each.branch === branch)

      // A wrong statement: no copy, and the deployment says why. Nothing of it can be seen afterwards.
      await mask("update users set email = 'x';\nupdate users set phone = 'y';")
      const failed = await app.upload(files, '?branch=topic')
      expect([failed.status, failed.json.error.message]).toEqual([
        422,
        expect.stringContaining('The masking failed: line 2: column "phone"'),
      ])
      const made = await previewOf('topic')
      expect((await platform().databases!.list()).map(use => use.name)).not.toContain(made.name)

      // While the statements run, the password of the preview opens nothing. Large results of theirs are not kept.
      await mask(
        "select repeat('x', 1000) from generate_series(1, 50000); select pg_sleep(2); update users set email = 'x'",
      )
      const deploying = app.deploy(files, '?branch=topic')
      const seen: string[] = []
      await eventually(async () => {
        if ((await previewOf('topic')).status === 'ready') return true
        seen.push(
          ...(await emailIn(made.name).then(
            rows => [rows[0].email],
            error => [error.message],
          )),
        )
        return false
      })
      await deploying
      expect(seen.join()).toContain('authentication failed')
      expect(seen.join()).not.toContain('ada@example.com')
      expect(await emailIn(made.name)).toEqual([{ email: 'x' }])
      expect(await emailIn(name)).toEqual([{ email: 'ada@example.com' }])

      // What an svcd left that ended before the masking is not taken for a copy.
      const { db } = platform().store
      await db.updateTable('app_databases').set({ ready_at: null }).where('id', '=', made.name).execute()
      await connected(made.name, client => client.query("update users set email = 'ada@example.com'"))
      const env = JSON.parse(await app.ask(await app.deploy(files, '?branch=topic'), '/env'))
      expect([env.PGUSER, await emailIn(made.name)]).toEqual([made.name, [{ email: 'x' }]])

      // A database that takes the place of another goes on with the masking.
      const dump = (await call(app, 'GET', undefined, '/dump')).body
      await load(app, dump)
      await mask('update users set email = null')
      expect((await call(app, 'POST', { restore: true })).json.database).toMatchObject({
        ...{ name, preview_data: 'copy', preview_mask: 'update users set email = null' },
      })
      expect((await mask(null)).json.database.preview_mask).toBeNull()
      expect((await mask('x\0')).status).toBe(400)
    })

    it.runIf(canDump)(
      'copies for several starts at a time once, and after an svcd that has ended (needs pg_dump)',
      async () => {
        const app = await TestApp.create(server())
        const name = await created(app)
        await connected(name, client => client.query("create table notes as select 'of production' as note"))
        await call(app, 'PATCH', { preview_data: 'copy', preview_mask: 'select pg_sleep(1)' })
        const preview = { projectId: (await app.detail()).id, branch: 'topic' }
        // Two nodes differ in nothing but their processes, and share nothing but rows and the server.
        const node = () => databaseOfPreview({ ...platform() }, preview)
        const made = await Promise.all([node(), node(), node()])
        expect(new Set(made.map(row => row?.ready_at)).size).toBe(1)
        const row = made[0]!
        expect((await connected(row.id, client => client.query('select note from notes'))).rows).toHaveLength(
          1,
        )

        const { db } = platform().store
        const until = server().clock.now() + 60_000
        await db
          .updateTable('app_databases')
          .set({ ready_at: null, filled_by: 'an svcd that has ended', filled_until: until })
          .where('id', '=', row.id)
          .execute()
        let isDone = false
        const waiting = node().finally(() => {
          isDone = true
        })
        await new Promise(resolve => setTimeout(resolve, 700))
        expect(isDone).toBe(false)
        server().clock.advance(61_000)
        expect((await waiting)?.id).toBe(row.id)
      },
    )

    it.runIf(canDump)('begins a copy that took too long anew (needs pg_dump)', async () => {
      const app = await TestApp.create(server())
      const name = await created(app)
      const files = procfileApp('one', program)
      await connected(name, client => client.query(slowElsewhere(name)))
      await call(app, 'PATCH', { preview_data: 'copy' })
      const failing = app.upload(files, '?branch=topic')
      const preview = await eventually(async () => {
        const [made] = (await call(app, 'GET')).json.previews
        const use = (await platform().databases!.list()).find(({ name }) => name === made?.name)
        return use && use.connections > 0 ? use.name : ''
      })
      server().clock.advance(3 * 60_000)
      const failed = await failing
      expect([failed.status, failed.json.error?.message]).toEqual([
        422,
        expect.stringContaining('not restored within 2 minutes'),
      ])
      expect((await platform().databases!.list()).map(use => use.name)).not.toContain(preview)
      await connected(name, client => client.query('drop table notes'))
      expect(await app.ask(await app.deploy(files, '?branch=topic'), '/env')).toContain(preview)
    })

    it('has no database in more previews than the limit', async () => {
      const app = await TestApp.create(server())
      const name = await created(app)
      const { id } = await app.detail()
      const { db } = platform().store
      const row = await rowOf(name)
      for (let i = 0; i < limits.previewDatabases; i++) {
        const preview = {
          id: `svc_preview${i}${row.id.slice(-6)}`,
          project_id: null,
          preview_of: id,
          branch: `b${i}`,
        }
        await db
          .insertInto('app_databases')
          .values({ ...row, ...preview, connections: 1 })
          .execute()
      }
      const { status, json } = await app.upload(procfileApp('one', program), '?branch=topic')
      expect([status, json.warnings]).toEqual([
        201,
        [expect.stringContaining('has no database: 10 branches')],
      ])
      expect(await app.ask(json.deployment_id, '/env')).not.toContain('DATABASE_URL')
      const all = { projectId: id, keep: () => true, tail: 1000, bytes: 1e6 }
      await eventually(async () => {
        const lines = (await platform().logs.read(all)).map(({ text }) => text)
        return lines.join().includes('This preview has no database: 10 branches')
      })
      await db.deleteFrom('app_databases').where('preview_of', '=', id).execute()
    })

    it('restarts with the new database, and gets the DATABASE_URL of its user instead, with a warning', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('one', program))
      expect(await app.ask(id, '/env')).not.toContain('DATABASE_URL')
      expect((await call(app, 'POST', {})).json).toMatchObject({ restarting: true, warnings: [] })
      await eventually(async () => (await app.ask(id, '/env')).includes('DATABASE_URL'))
      await app.put('DATABASE_URL', 'postgresql://elsewhere/mine')
      await eventually(async () => (await app.ask(id, '/env')).includes('elsewhere/mine'))
      expect((await call(app, 'GET')).json.database.variable).toBe('own')
      await call(app, 'DELETE', { confirm: app.name })
      const { warnings } = (await call(app, 'POST', { restore: true })).json
      expect(warnings).toEqual([expect.stringContaining('DATABASE_URL of its own')])
    })

    it('has the database in its release command', async () => {
      const app = await TestApp.create(server())
      const name = await created(app)
      await app.deploy(
        procfileApp('one'),
        `?release=${encodeURIComponent('echo migrates $PGUSER; test -S $PGHOST/.s.PGSQL.5432')}`,
      )
      const log = await server().request(`/projects/${app.name}/logs`, { token: app.token })
      expect(log.text).toContain(`migrates ${name}`)
    })
  })
}, manyDatabases)

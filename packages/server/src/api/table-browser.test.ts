// Admins look at the tables of a project's database and at their rows. What is in it is hostile.
import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../core/databases/password.ts'
import { TestApp } from '../testing/apps.ts'
import { asRole, withDatabases } from '../testing/databases-of-apps.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

type Asker = { name: string; token: string }

onEveryServer(server => {
  const ask = (asker: Asker, line: string, body?: unknown) => {
    const [method, more = ''] = line.split(' ')
    return send(server(), `${method} /projects/${asker.name}/database${more}` as 'GET /x', asker, body)
  }
  const rowsOf = (asker: Asker, table: string, more: object = {}) =>
    ask(asker, 'POST /rows', { table, ...more })

  /** As the role of the database. */
  async function connected<T>(name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const { platform } = server().running
    const row = await platform.store.db
      .selectFrom('app_databases')
      .selectAll()
      .where('id', '=', name)
      .executeTakeFirstOrThrow()
    const { password } = openDatabase(platform, row)
    return await asRole({ host: platform.databases!.address().socketDir!, user: name, password }, work)
  }

  async function withTables(...statements: string[]): Promise<{ app: TestApp; name: string }> {
    const app = await TestApp.create(server())
    const made = await ask(app, 'POST', {})
    expect([made.status, made.text]).toEqual([201, expect.any(String)])
    const { name } = made.json.database
    await connected(name, async client => {
      for (const statement of statements) await client.query(statement)
    })
    return { app, name }
  }

  describe('the tables of a database', () => {
    it('are listed with their estimated rows and sizes', async () => {
      const { app } = await withTables()
      expect((await ask(app, 'GET /tables')).json).toEqual({ tables: [], more: false })
      const other = await withTables(
        'create schema shop',
        'create table shop.orders (id int primary key)',
        'create table notes as select i as id from generate_series(1, 5000) i; analyze notes',
        'create view recent as select * from notes',
        'create materialized view sums as select sum(id) from notes',
        'create table parts (id int) partition by range (id)',
        'create table parts1 partition of parts for values from (1) to (9)',
      )
      const { status, json } = await ask(other.app, 'GET /tables')
      expect(status).toBe(200)
      expect(json).toMatchObject({
        more: false,
        tables: [
          { schema: 'public', name: 'notes', kind: 'table', rows: 5000, bytes: expect.any(Number) },
          { schema: 'public', name: 'parts', kind: 'table', bytes: null },
          { schema: 'public', name: 'recent', kind: 'view', rows: null, bytes: null },
          { schema: 'public', name: 'sums', kind: 'materialized view' },
          { schema: 'shop', name: 'orders', kind: 'table', rows: null },
        ],
      })
      expect(json.tables[0].bytes).toBeGreaterThan(100_000)
    })

    it('are listed while one is locked, and there are at most 500', async () => {
      const { app, name } = await withTables(
        'create table notes (id int)',
        "do $$ begin for i in 1..600 loop execute format('create table t%s (id int)', i); end loop; end $$",
      )
      await connected(name, async busy => {
        await busy.query('begin; lock table notes in access exclusive mode')
        const { status, json } = await ask(app, 'GET /tables')
        expect([status, json.tables.length, json.more]).toEqual([200, 500, true])
        expect(json.tables[0]).toMatchObject({ name: 'notes', bytes: null })
        const locked = await rowsOf(app, 'notes')
        expect([locked.status, locked.json.error.message]).toEqual([
          422,
          expect.stringContaining('lock timeout'),
        ])
      })
    })
  })

  describe('the rows of a table', () => {
    it('come in the order of the primary key, page by page', async () => {
      const { app } = await withTables(
        'create table notes (text text, b int, a int, primary key (a, b))',
        "insert into notes select 'note ' || i, i % 2, -i from generate_series(1, 120) i",
      )
      const first = await rowsOf(app, 'notes', { limit: 100 })
      expect(first.status).toBe(200)
      expect(first.json).toMatchObject({
        columns: [
          { name: 'text', type: 'text', key: false },
          { name: 'b', type: 'integer', key: true },
          { name: 'a', type: 'integer', key: true },
        ],
        more_columns: false,
        more: true,
      })
      expect(first.json.rows[0]).toEqual(['note 120', '0', '-120'])
      const rest = await rowsOf(app, 'notes', { limit: 100, offset: 100 })
      expect([rest.json.rows.length, rest.json.more]).toEqual([20, false])
      expect(rest.json.rows.at(-1)).toEqual(['note 1', '1', '-1'])
      for (const wrong of [
        { limit: 101 },
        { limit: 0 },
        { offset: 10_001 },
        { offset: -1 },
        { schema: 'a\0' },
      ])
        expect((await rowsOf(app, 'notes', wrong)).status).toBe(400)
    })

    it('are read by statements that are not among the slow ones of the project', async () => {
      const { app } = await withTables('create table notes (id int)')
      for (const line of ['GET /tables', 'POST /rows'])
        expect((await ask(app, line, line[0] === 'P' ? { table: 'notes' } : undefined)).status).toBe(200)
      expect((await ask(app, 'GET /slow')).json.statements).toEqual([])
    })

    it('show empty, missing, binary and composed values, and the beginning of long ones', async () => {
      const { app } = await withTables(
        `create type pair as (x int, y text)`,
        `create table kinds as select 1 as id, ''::text as empty, null::text as none, '\\xdeadbeef'::bytea as bin,
           repeat('ä', 30000000) as long, decode(repeat('00', 30000000), 'hex') as big, row(1, 'a b')::pair as pair,
           array['a', null] as list, jsonb_build_object('a', repeat('x', 2000)) as json,
           timestamptz '2026-01-02 03:04:05+00' as at, 1e10::float8 as number`,
        `alter table kinds add column random text; alter table kinds alter random set storage external`,
        `create table blobs as select jsonb_agg(md5(i::text)) as j from generate_series(1, 100000) i`,
      )
      const { json } = await rowsOf(app, 'kinds')
      expect(json.rows).toHaveLength(1)
      const [id, empty, none, bin, long, big, pair, list, object, at, number] = json.rows[0]
      expect([id, empty, none, bin]).toEqual(['1', '', null, '\\xdeadbeef'])
      expect([pair, list, at, number]).toEqual([
        '(1,"a b")',
        '{a,NULL}',
        '2026-01-02 03:04:05+00',
        '10000000000',
      ])
      expect(long).toEqual({ start: 'ä'.repeat(500), bytes: 60_000_000 })
      expect(big).toEqual({ start: `\\x${'0'.repeat(498)}`, bytes: 30_000_000 })
      expect(object.start).toMatch(/^\{"a": "x+$/)
      const blob = (await rowsOf(app, 'blobs')).json.rows[0][0]
      expect(blob).toEqual({ start: '', bytes: expect.any(Number) })
    })

    it('of wide tables have 100 columns, and an answer stays small', async () => {
      const columns = Array.from({ length: 150 }, (_, i) => `repeat('x', 10000) as c${i}`)
      const { app } = await withTables(`create table wide as select ${columns} from generate_series(1, 120)`)
      const { json, text } = await rowsOf(app, 'wide', { limit: 100 })
      expect([json.columns.length, json.more_columns, json.rows.length]).toEqual([100, true, 100])
      expect(text.length).toBeLessThan(2_000_000)
    })

    it('of tables and columns with hostile names are read, and nothing else happens', async () => {
      const table = `a"; drop table notes; --'\\$$`
      const quoted = `"${table.replaceAll('"', '""')}"`
      const { app, name } = await withTables(
        'create table notes (id int)',
        `create schema ${quoted}`,
        `create table ${quoted}.${quoted} (${quoted} int primary key, "%I" text, "\n" text)`,
        `insert into ${quoted}.${quoted} values (7, 'a', 'b')`,
      )
      const { tables } = (await ask(app, 'GET /tables')).json
      expect(tables[0]).toMatchObject({ schema: table, name: table })
      const { json } = await rowsOf(app, table, { schema: table })
      expect(json.rows).toEqual([['7', 'a', 'b']])
      expect(json.columns[0]).toMatchObject({ name: table, key: true })
      for (const missing of ['nowhere', 'notes; drop table notes', 'NOTES', 'notes\u2028'])
        expect((await rowsOf(app, missing)).status).toBe(404)
      for (const schema of ['pg_catalog', 'information_schema', 'pg_toast'])
        expect((await rowsOf(app, 'pg_authid', { schema })).status).toBe(404)
      expect((await connected(name, client => client.query('select * from notes'))).rows).toEqual([])
    })

    it.each([
      ['raises an error', `raise exception 'not for you'`, 'not for you'],
      ['writes', `insert into public.seen values (1)`, 'read-only transaction'],
      [
        'leaves the read-only mode',
        `perform set_config('transaction_read_only', 'off', false); insert into public.seen values (1)`,
        'transaction',
      ],
      ['drops a table', `drop table public.seen`, 'read-only transaction'],
      ['becomes the administrator', `set role svcd`, 'permission denied'],
      ['makes an endless error', `raise exception '%', repeat('x', 50000000)`, ''],
      ['takes all memory', `perform repeat('x', 1000000000) || repeat('y', 1000000000)`, 'memory'],
    ])('of a view whose function %s are refused in words', async (_, body, words) => {
      const { app, name } = await withTables(
        'create table seen (id int)',
        `create function f() returns int language plpgsql as $f$ begin ${body}; return 1; end $f$`,
        'create view trap as select public.f() as id',
      )
      const { status, json } = await rowsOf(app, 'trap')
      expect([status, json.error.code]).toEqual([422, 'not_readable'])
      expect(json.error.message).toContain(words)
      expect(json.error.message.length).toBeLessThan(500)
      expect((await connected(name, client => client.query('select * from public.seen'))).rows).toEqual([])
    })

    it('of a view whose function takes long, and catches that it is cancelled, are given up, and its session ends', async () => {
      const { app, name } = await withTables(
        `create function stubborn() returns int language plpgsql as $f$ begin
           loop begin perform set_config('statement_timeout', '0', false); perform pg_sleep(600);
           exception when query_canceled then null; end; end loop; end $f$`,
        'create view trap as select public.stubborn() as id',
        `create function loud() returns int language plpgsql as $f$ begin
           perform set_config('client_min_messages', 'notice', false);
           loop raise notice '%', repeat('x', 100000); end loop; end $f$`,
        'create view noise as select public.loud() as id',
      )
      const [slow, loud] = [await rowsOf(app, 'trap'), await rowsOf(app, 'noise')]
      expect([slow.status, slow.json.error.message]).toEqual([
        422,
        expect.stringContaining('it took too long'),
      ])
      expect([loud.status, loud.json.error.message]).toEqual([
        422,
        expect.stringContaining('it said too much'),
      ])
      await expect
        .poll(async () => (await ask(app, 'GET /queries')).json.connections, { timeout: 15_000 })
        .toBe(0)
      expect((await connected(name, client => client.query('select 1 as one'))).rows).toEqual([{ one: 1 }])
    })

    it('are found in the schema that is named, whatever the role has set', async () => {
      const { app, name } = await withTables(
        'create table notes as select 1 as id',
        'create schema evil; create table evil.notes as select 2 as id',
        `create function evil.left(text, int) returns text language sql as $$ select 'evil' $$`,
        'create table evil.pg_class (relname text)',
      )
      await connected(name, client =>
        client.query(
          `alter role "${name}" set search_path = evil, pg_catalog; alter role "${name}" set standard_conforming_strings = off`,
        ),
      )
      expect((await rowsOf(app, 'notes')).json.rows).toEqual([['1']])
      expect((await rowsOf(app, 'notes', { schema: 'evil' })).json.rows).toEqual([['2']])
    })
  })

  it('only admins of the project look at tables, each look at rows is logged, and previews have their own', async () => {
    const [team, stranger] = [await makeTeam(server()), await TestApp.create(server())]
    const project = freshName()
    await server().client(team.owner.token)('POST /projects', { body: { name: project, org: team.org } })
    const as = ({ token }: { token: string }) => ({ name: project, token })
    expect((await rowsOf(as(team.admin), 'notes')).status).toBe(404)
    const { name } = (await ask(as(team.admin), 'POST', {})).json.database
    await connected(name, client => client.query("create table notes as select 'hunter2' as note"))
    for (const line of ['GET /tables', 'POST /rows']) {
      const body = line.startsWith('POST') ? { table: 'notes' } : undefined
      expect((await ask(as(team.member), line, body)).status).toBe(403)
      expect((await ask(as(stranger), line, body)).status).toBe(404)
      expect((await ask(as({ token: '' }), line, body)).status).toBe(401)
      expect((await ask(as(team.admin), line, body)).text).toContain('note')
    }
    expect((await rowsOf(as(team.admin), 'notes', { branch: 'topic' })).status).toBe(404)
    const { entries } = (await send(server(), `GET /projects/${project}/audit`, team.admin)).json
    expect(entries[0]).toMatchObject({ action: 'database.read', details: { table: 'public.notes' } })
  })
}, withDatabases)

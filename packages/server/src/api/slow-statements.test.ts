// The statements of a project's database that took the most time, and who sees them.
import type pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../core/databases/password.ts'
import { TestApp } from '../testing/apps.ts'
import { asRole, postgresPrograms, withDatabases } from '../testing/databases-of-apps.ts'
import { startOperatorsPostgres } from '../testing/operators-postgres.ts'
import { send } from '../testing/send.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

type Asker = { name: string; token: string }

const slow = async (server: TestServer, { name, token }: Asker) =>
  await server.request(`/projects/${name}/database/slow`, { token })

async function created(server: TestServer, asker: Asker): Promise<string> {
  const made = await send(server, `POST /projects/${asker.name}/database` as 'GET /x', asker, {})
  expect([made.status, made.text]).toEqual([201, expect.any(String)])
  return made.json.database.name
}

/** As the role of the database. */
async function connected<T>(server: TestServer, name: string, work: (client: pg.Client) => Promise<T>) {
  const { platform } = server.running
  const row = await platform.store.db
    .selectFrom('app_databases')
    .selectAll()
    .where('id', '=', name)
    .executeTakeFirstOrThrow()
  const { host, port, socketDir } = platform.databases!.address()
  const { password } = openDatabase(platform, row)
  return await asRole({ host: socketDir ?? host, port, user: name, password }, work)
}

onEveryServer(server => {
  describe('the slow statements of a database', () => {
    it('are listed with calls, times and rows, without values, comments and utility statements', async () => {
      const app = await TestApp.create(server())
      expect((await slow(server(), app)).status).toBe(404)
      const name = await created(server(), app)
      await connected(server(), name, async client => {
        await client.query('create table notes (id int, note text)')
        for (const id of [1, 2]) await client.query("insert into notes values ($1, 'hunter2')", [id])
        await client.query("select pg_sleep(0.05), 'hunter2' as secret, n.* from notes n /* hunter2 */")
        await client.query(`alter role "${name}" set application_name = 'hunter2'`)
        await client.query("create table copied as select 'hunter2' as note")
        await client.query("do $$ begin perform 'hunter2'; end $$")
      })
      const { status, json, text } = await slow(server(), app)
      expect([status, json.remedy]).toEqual([200, null])
      expect(text).not.toContain('hunter2')
      const [first] = json.statements
      expect(first.query).toMatch(/^select pg_sleep\(\$1\), \$2 as secret, n\.\* from notes n$/)
      expect(first).toMatchObject({ calls: 1, rows: 2, share: expect.any(Number) })
      expect(first.total_ms).toBeGreaterThanOrEqual(50)
      const inserted = json.statements.find(({ query }: { query: string }) => query.startsWith('insert'))
      expect(inserted).toMatchObject({ query: 'insert into notes values ($1, $2)', calls: 2, rows: 2 })
      expect(json.statements.every(({ query }: { query: string }) => !query.startsWith('create'))).toBe(true)
    })

    it('are those of the project alone, and for its members alone', async () => {
      const [team, stranger] = [await makeTeam(server()), await TestApp.create(server())]
      const project = freshName()
      await server().client(team.owner.token)('POST /projects', { body: { name: project, org: team.org } })
      const name = await created(server(), { name: project, token: team.admin.token })
      const foreign = await created(server(), stranger)
      await connected(server(), name, client => client.query('select 1 as "of the team"'))
      await connected(server(), foreign, client => client.query('select 1 as "of a stranger"'))
      const asMember = await slow(server(), { name: project, token: team.member.token })
      expect(asMember.status).toBe(200)
      expect(asMember.text).toContain('of the team')
      expect(asMember.text).not.toContain('of a stranger')
      expect((await slow(server(), { name: project, token: stranger.token })).status).toBe(404)
      const asStranger = await slow(server(), stranger)
      expect(asStranger.text).toContain('of a stranger')
      expect(asStranger.text).not.toContain('of the team')
    })

    it('are at most 20, and their texts at most 500 characters', async () => {
      const app = await TestApp.create(server())
      const name = await created(server(), app)
      await connected(server(), name, async client => {
        for (let i = 0; i < 30; i++)
          await client.query(`select ${'c, '.repeat(900 + i)} c from (select 1 c) s`)
      })
      const { json } = await slow(server(), app)
      expect(json.statements).toHaveLength(20)
      for (const { query } of json.statements) expect(query.length).toBeLessThanOrEqual(501)
    })

    it('are forgotten when their texts take too much of the disk', async () => {
      const app = await TestApp.create(server())
      const name = await created(server(), app)
      const comment = 'x'.repeat(8 * 1024 * 1024)
      await connected(server(), name, async client => {
        for (let i = 0; i < 9; i++)
          await client.query(`select ${'c0, '.repeat(i)} c0 from (select 1 c0) s /* ${comment} */`)
      })
      expect((await slow(server(), app)).text).toContain('select c0 from')
      await server().running.platform.databases!.endLong()
      expect((await slow(server(), app)).json.statements).toEqual([])
    })
  })
}, withDatabases)

describe('on a server of the operator, whose administrator is no superuser,', () => {
  async function started(more: string[], extension: boolean) {
    const postgres = await startOperatorsPostgres(more)
    onTestFinished(() => postgres.stop())
    if (extension) await postgres.asSuperuser('create extension pg_stat_statements')
    const server = await TestServer.start('sqlite', {
      SVCD_APPS_POSTGRES_URL: postgres.url,
      SVCD_POSTGRES_PROGRAMS: postgresPrograms,
    })
    onTestFinished(() => server.remove())
    const [app, other] = [await TestApp.create(server), await TestApp.create(server)]
    const [name, foreign] = [await created(server, app), await created(server, other)]
    await connected(server, name, client => client.query('select 1 as "of the project"'))
    await connected(server, foreign, client => client.query('select 1 as "of another"'))
    return { server, app }
  }

  it('statements are measured if the operator has set that up', async () => {
    const { server, app } = await started(['shared_preload_libraries=pg_stat_statements'], true)
    const { json, text } = await slow(server, app)
    expect([json.remedy, text]).toEqual([null, expect.stringContaining('of the project')])
    expect(text).not.toContain('of another')
  })

  it.each([
    ['not loaded', [], true],
    ['no extension', ['shared_preload_libraries=pg_stat_statements'], false],
    ['neither', [], false],
  ])('the answer says what the operator can do: %s', async (_, settings, extension) => {
    const { server, app } = await started(settings, extension)
    const { status, json } = await slow(server, app)
    expect([status, json.statements]).toEqual([200, []])
    expect(json.remedy).toContain('shared_preload_libraries')
  })
})

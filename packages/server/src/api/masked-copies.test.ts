// Attempts to see what the masking of copies hides: in the databases of previews, and in what is said of a failure.
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type pg from 'pg'
import { expect, it } from 'vitest'
import { openDatabase } from '../core/databases/password.ts'
import { databaseOfPreview } from '../core/databases/previews.ts'
import type { AppDatabase, Databases } from '../ports/databases/port.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { asRole, canDump, withDatabases } from '../testing/databases-of-apps.ts'
import { eventually } from '../testing/eventually.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

const secret = 'ada@example.com'

onEveryServer(server => {
  const platform = () => server().running.platform

  const rowOf = async (id: string) =>
    await platform()
      .store.db.selectFrom('app_databases')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()

  /** As the role of the database, with the password that its app knows. */
  async function connected<T>(id: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const { password } = openDatabase(platform(), await rowOf(id))
    const host = path.join(server().dataDir, 'postgresql', 'socket')
    return await asRole({ host, user: id, password }, work)
  }

  const usersIn = (id: string) =>
    connected(id, async client => (await client.query('select email from users')).rows)

  /** A project whose database has a user. */
  async function withUser(): Promise<TestApp> {
    const app = await TestApp.create(server())
    const { json } = await send(server(), `POST /projects/${app.name}/database`, app, {})
    await connected(json.database.name, client =>
      client.query(`create table users as select '${secret}' as email`),
    )
    return app
  }

  const previewsBegin = async (app: TestApp, body: object) =>
    expect((await send(server(), `PATCH /projects/${app.name}/database`, app, body)).status).toBe(200)

  const previewOf = async (app: TestApp) =>
    (await send(server(), `GET /projects/${app.name}/database`, app)).json.previews[0]

  /** The databases of the platform, but for these functions. */
  const withOther = (functions: Partial<Databases>): Databases =>
    new Proxy(platform().databases!, {
      get: (real, key: keyof Databases) => {
        const member = functions[key] ?? real[key]
        return typeof member === 'function' ? member.bind(real) : member
      },
    })

  const exists = async (id: string) => (await platform().databases!.list()).some(({ name }) => name === id)

  it.runIf(canDump).each([
    ['a transaction without an end', "begin; update users set email = 'x'", 'begin has no commit'],
    ['a statement after a commit', "update users set email = 'x'; commit; select 1 / 0", 'error 22012'],
    ['a copy from nowhere', "update users set email = 'x'; copy users from stdin", 'COPY'],
    ['a value that an error would quote', 'select email::int from users', 'error 22P02'],
    ['data that a function says', `do $$ begin raise '%', (select email from users); end $$`, 'error P0001'],
  ])('there is no copy after %s, and no data in the error (needs pg_dump)', async (_, preview_mask, why) => {
    const app = await withUser()
    await previewsBegin(app, { preview_data: 'copy', preview_mask })
    const failed = await app.upload(procfileApp(), '?branch=topic')
    expect([failed.status, failed.json.error?.message]).toEqual([422, expect.stringContaining(why)])
    expect(failed.text).not.toContain(secret)
    expect(await exists((await previewOf(app)).name)).toBe(false)
  })

  it.runIf(canDump)('a masking of one statement may commit by itself (needs pg_dump)', async () => {
    const app = await withUser()
    const preview_mask = "do $$ begin update users set email = 'x'; commit; end $$"
    await previewsBegin(app, { preview_data: 'copy', preview_mask })
    await app.deploy(procfileApp(), '?branch=topic')
    expect(await usersIn((await previewOf(app)).name)).toEqual([{ email: 'x' }])
  })

  it.runIf(canDump)(
    'what PostgreSQL noted of the values before they were masked is gone (needs pg_dump)',
    async () => {
      const app = await withUser()
      // As autovacuum may do at any time.
      await previewsBegin(app, { preview_data: 'copy', preview_mask: 'analyze users; truncate users' })
      await app.deploy(procfileApp(), '?branch=topic')
      const { rows } = await connected((await previewOf(app)).name, client =>
        client.query("select * from pg_stats where tablename = 'users'"),
      )
      expect(rows).toEqual([])
    },
  )

  it.runIf(canDump)(
    'a copy that an svcd left without masking it is not shown when previews are to begin empty (needs pg_dump)',
    async () => {
      const app = await withUser()
      await app.deploy(procfileApp(), '?branch=topic')
      const { name } = await previewOf(app)
      await connected(name, client => client.query(`create table users as select '${secret}' as email`))
      const { db } = platform().store
      await db.updateTable('app_databases').set({ ready_at: null }).where('id', '=', name).execute()
      await app.deploy(procfileApp('two'), '?branch=topic')
      await expect(usersIn(name)).rejects.toThrow('does not exist')
    },
  )

  it.runIf(canDump)(
    'a node that stood still while another one began to copy again shows nothing of that copy (needs pg_dump)',
    async () => {
      const app = await withUser()
      await previewsBegin(app, { preview_data: 'copy', preview_mask: "update users set email = 'x'" })
      const preview = { projectId: (await app.detail()).id, branch: 'topic' }
      const { databases, clock } = platform()
      const begun = clock.now()
      // The first node stands still when the copy is masked.
      let goOn: () => void = () => undefined
      const gate = new Promise<void>(resolve => {
        goOn = resolve
      })
      let isStill = false
      const ensure = async (database: AppDatabase) => {
        if (database.password === openDatabase(platform(), await rowOf(database.name)).password) {
          isStill = true
          await gate
        }
        await databases!.ensure(database)
      }
      const still = withOther({ ensure })
      const never = { now: () => begun, timeout: () => new AbortController().signal }
      const first = databaseOfPreview({ ...platform(), databases: still, clock: never }, preview).catch(
        (error: Error) => error.message,
      )
      await eventually(async () => isStill)
      await previewsBegin(app, {
        preview_data: 'copy',
        preview_mask: "select pg_sleep(3); update users set email = 'x'",
      })
      server().clock.advance(61_000)
      const second = databaseOfPreview(platform(), preview)
      const { name } = await previewOf(app)
      const holder = await eventually(async () => {
        const { filled_by, filled_until } = await rowOf(name)
        return Number(filled_until) > begun + 61_000 && (await isMasking(name)) ? filled_by : undefined
      })
      goOn()
      expect(await first).toContain('Another node has begun')
      // The copy of the other node is not masked yet, and apps may know the password from before.
      await expect(usersIn(name)).rejects.toThrow('password authentication failed')
      expect(await rowOf(name)).toMatchObject({ ready_at: null, filled_by: holder })
      await second
      expect(await usersIn(name)).toEqual([{ email: 'x' }])
    },
  )

  it('no database is left if its row is deleted while svcd stands still', async () => {
    const app = await withUser()
    const preview = { projectId: (await app.detail()).id, branch: 'topic' }
    let name = ''
    const ensure = async (database: AppDatabase) => {
      name = database.name
      await platform().store.db.deleteFrom('app_databases').where('id', '=', name).execute()
      await platform().databases!.ensure(database)
    }
    const making = databaseOfPreview({ ...platform(), databases: withOther({ ensure }) }, preview)
    await expect(making).rejects.toThrow('Another node has begun')
    expect(await exists(name)).toBe(false)
  })

  it('a dump that fails before it is read fails its copy, and nothing else', async () => {
    const app = await withUser()
    await previewsBegin(app, { preview_data: 'copy' })
    const preview = { projectId: (await app.detail()).id, branch: 'topic' }
    const failing: Partial<Databases> = {
      dump: async () => {
        throw new Error('pg_dump is missing')
      },
      restore: async () => {
        await nextTurn()
        throw new Error('pg_restore is missing')
      },
    }
    const broken = withOther(failing)
    const copying = databaseOfPreview({ ...platform(), databases: broken }, preview)
    await expect(copying).rejects.toThrow('pg_restore is missing')
  })

  const isMasking = async (name: string) =>
    (await platform().databases!.queries(name)).some(({ query }) => query.includes('pg_sleep'))
}, withDatabases)

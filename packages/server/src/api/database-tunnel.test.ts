// Connections to the databases of projects from outside, with the driver that most programs use.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { limits } from '@svc/contract'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createWebSocketStream, WebSocket } from 'ws'
import { openDatabase } from '../core/databases/password.ts'
import { platformAdmin } from '../testing/admins.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { withDatabases } from '../testing/databases-of-apps.ts'
import { eventually } from '../testing/eventually.ts'
import { refusal, send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

let server: TestServer

beforeAll(async () => {
  // The databases of all these tests are on one server.
  server = await TestServer.start('sqlite', { ...withDatabases, SVCD_APPS_POSTGRES_CONNECTIONS: '600' })
})

afterAll(() => server?.remove())

interface Asking {
  name: string
  token: string
}

async function withDatabase(): Promise<TestApp> {
  const app = await TestApp.create(server)
  expect((await send(server, `POST /projects/${app.name}/database`, app, {})).status).toBe(201)
  return app
}

/** Rejects with the status and the code of an answer that is no WebSocket. */
async function tunnel({ name, token }: Asking, query = ''): Promise<WebSocket> {
  const url = `ws://127.0.0.1:${server.running.port}/projects/${name}/database/tunnel${query}`
  const webSocket = new WebSocket(url, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  })
  onTestFinished(() => webSocket.terminate())
  await new Promise<void>((resolve, reject) => {
    webSocket.once('open', resolve).once('error', reject)
    webSocket.once('unexpected-response', async (_request, response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      reject(new Error(`${response.statusCode} ${JSON.parse(text).error.code}`))
    })
  })
  return webSocket
}

/** A client whose bytes the WebSocket carries. It gives no password. */
async function clientOn(webSocket: WebSocket, settings: pg.ClientConfig = {}): Promise<pg.Client> {
  const bytes = createWebSocketStream(webSocket).on('error', () => undefined)
  const bridge = createServer(socket =>
    socket
      .on('error', () => undefined)
      .pipe(bytes)
      .pipe(socket),
  )
  await once(bridge.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void bridge.close())
  const { port } = bridge.address() as AddressInfo
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'anyone', database: 'anything', ...settings })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const connected = async (app: Asking, query = '') => await clientOn(await tunnel(app, query))

/** What the sessions of the project's role do. */
async function activity(app: Asking): Promise<Record<string, unknown>[]> {
  const answer = await send(server, `GET /projects/${app.name}/database`, app)
  const { name } = answer.json.database
  const row = await server.running.platform.store.db
    .selectFrom('app_databases')
    .selectAll()
    .where('id', '=', name)
    .executeTakeFirstOrThrow()
  const { password } = openDatabase(server.running.platform, row)
  const { socketDir: host } = server.running.platform.databases!.address()
  const own = new pg.Client({ host: host!, user: name, database: name, password, application_name: 'looks' })
  await own.connect()
  const { rows } = await own.query(
    "select state, wait_event, query from pg_stat_activity where usename = current_user and application_name <> 'looks'",
  )
  await own.end()
  return rows
}

const closing = async (webSocket: WebSocket): Promise<string> => {
  const [code, reason] = await once(webSocket, 'close')
  return `${code} ${reason}`
}

it('a client is signed in as the role of the database, without its password, and the audit log has it', async () => {
  const app = await withDatabase()
  const client = await clientOn(await tunnel(app), {
    application_name: 'my tool',
    options: '-c work_mem=7MB',
  })
  const { rows } = await client.query(
    "select current_user as role, current_database() as name, current_setting('application_name') as tool, current_setting('work_mem') as memory",
  )
  const { name } = (await send(server, `GET /projects/${app.name}/database`, app)).json.database
  expect(rows).toEqual([{ role: name, name, tool: 'my tool', memory: '7MB' }])
  await client.end()
  await eventually(async () => (await activity(app)).length === 0)
  const audit = await send(server, `GET /projects/${app.name}/audit`, app)
  expect(audit.text.split('"database.connect"')).toHaveLength(2)
})

it('passes much in both directions', async () => {
  const client = await connected(await withDatabase())
  const text = 'svc-'.repeat(5 * 1024 * 1024)
  const { rows } = await client.query('select md5($1) as sum, $1 as text', [text])
  expect(rows[0].text === text).toBe(true)
  const { rows: sums } = await client.query('select md5(repeat($1, 5242880)) as sum', ['svc-'])
  expect(sums[0].sum).toBe(rows[0].sum)
})

it('waits for a client that reads slowly', async () => {
  const app = await withDatabase()
  const webSocket = await tunnel(app)
  const client = await clientOn(webSocket)
  webSocket.pause()
  const asked = client.query(
    "select count(*) over () as n, repeat('x', 10000) as text from generate_series(1, 5000)",
  )
  // 50 MB are more than all buffers between them hold.
  await eventually(async () => (await activity(app)).some(({ wait_event }) => wait_event === 'ClientWrite'))
  webSocket.resume()
  expect((await asked).rows).toHaveLength(5000)
})

it('leaves no connection of a client that reads nothing when its session has ended', async () => {
  const app = await withDatabase()
  const webSocket = await tunnel(app)
  const client = await clientOn(webSocket)
  let isClosed = false
  const closed = closing(webSocket).finally(() => {
    isClosed = true
  })
  webSocket.pause()
  client.query("select repeat('x', 10000) from generate_series(1, 5000)").catch(() => undefined)
  await eventually(async () => (await activity(app)).some(({ wait_event }) => wait_event === 'ClientWrite'))
  // Its session ends, while much of what it asked for waits for it.
  const { name } = (await send(server, `GET /projects/${app.name}/database`, app)).json.database
  await server.running.platform.databases!.setMode(name, 'writable')
  await eventually(async () => (await activity(app)).length === 0)
  await eventually(() => {
    server.clock.advance(31_000)
    webSocket.ping()
    return isClosed
  })
  expect(await closed).toMatch(/^1006 /)
})

it('ends the query of a client that has left', async () => {
  const app = await withDatabase()
  const webSocket = await tunnel(app)
  const client = await clientOn(webSocket)
  client.query('select pg_sleep(50)').catch(() => undefined)
  await eventually(async () => (await activity(app)).some(({ state }) => state === 'active'))
  webSocket.terminate()
  await eventually(async () => {
    server.clock.advance(1_000)
    return (await activity(app)).length === 0
  })
})

it('cancels a query from a second connection', async () => {
  const app = await withDatabase()
  const client = await connected(app)
  const asked = client.query('select pg_sleep(50)').catch((error: Error) => error.message)
  await eventually(async () => (await activity(app)).some(({ state }) => state === 'active'))
  const cancel = Buffer.alloc(16)
  const { processID } = client as unknown as { processID: number }
  for (const [at, word] of [16, 80_877_102, processID, 0].entries()) cancel.writeInt32BE(word, at * 4)
  const second = await tunnel(app)
  second.send(cancel)
  await once(second, 'close')
  expect(await asked).toContain('canceling statement')
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

it('is for admins of a project that has a database and is not suspended', async () => {
  const team = await makeTeam(server)
  const name = freshName()
  await server.client(team.owner.token)('POST /projects', { body: { name, org: team.org } })
  const by = (token: string, query = '') => tunnel({ name, token }, query)
  await expect(by(team.admin.token)).rejects.toThrow('404 not_found')
  await send(server, `POST /projects/${name}/database`, team.admin, {})
  await expect(by(team.member.token)).rejects.toThrow('403 forbidden')
  await expect(by(team.outsider.token)).rejects.toThrow('404 not_found')
  await expect(by('wrong')).rejects.toThrow('401 unauthorized')
  await expect(by(team.admin.token, '?branch=none')).rejects.toThrow('404 not_found')
  expect(refusal(await send(server, `GET /projects/${name}/database/tunnel`, team.admin))).toBe(
    '400 invalid_request',
  )
  const webSocket = await by(team.admin.token)
  const operator = await platformAdmin(server)
  await send(server, `PUT /admin/projects/${name}/suspension`, operator, { reason: 'abuse' })
  await expect(by(team.admin.token)).rejects.toThrow('403 suspended')
  const closed = closing(webSocket)
  server.clock.advance(11_000)
  expect(await closed).toContain('4000 ')
})

it('an upgrade of any other endpoint is an ordinary request', async () => {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'x',
    'sec-websocket-version': '13',
  }
  const asked = async (path: string) => (await server.request(path, { headers })).status
  expect([await asked('/health'), await asked('/projects'), await asked('/nothing')]).toEqual([200, 401, 404])
})

it('has a limit for each project', async () => {
  const app = await withDatabase()
  const all = await Promise.all(Array.from({ length: limits.tunnels }, () => connected(app)))
  await expect(tunnel(app)).rejects.toThrow('409 run_under_way')
  await tunnel(await withDatabase())
  await all[0]!.end()
  await eventually(() => tunnel(app))
})

it('has a limit for each account, which leaves room for others', async () => {
  const { token } = await server.account()
  const ofAccount = async (count: number) => {
    const name = freshName()
    await server.client(token)('POST /projects', { body: { name } })
    await send(server, `POST /projects/${name}/database`, { token }, {})
    return await Promise.all(Array.from({ length: count }, () => tunnel({ name, token })))
  }
  for (let left = limits.tunnelsOfAccount; left > 0; left -= limits.tunnels)
    await ofAccount(Math.min(left, limits.tunnels))
  await expect(ofAccount(1)).rejects.toThrow('409 run_under_way')
  await connected(await withDatabase())
})

it('is not for an account that will be deleted, which may read alone', async () => {
  const app = await withDatabase()
  const { store, clock } = server.running.platform
  const { id } = (await send(server, 'GET /me', app)).json
  await store.db
    .updateTable('accounts')
    .set({ delete_at: clock.now() + 86_400_000 })
    .where('id', '=', id)
    .execute()
  expect((await send(server, `GET /projects/${app.name}/database`, app)).status).toBe(200)
  await expect(tunnel(app)).rejects.toThrow('403 forbidden')
})

it.each(['is revoked', 'loses its role'])('ends when its token %s, and says why', async how => {
  const team = await makeTeam(server)
  const name = freshName()
  await server.client(team.owner.token)('POST /projects', { body: { name, org: team.org } })
  await send(server, `POST /projects/${name}/database`, team.admin, {})
  const made = await send(server, 'POST /tokens', team.admin, { kind: 'cli', label: 'laptop' })
  const webSocket = await tunnel({ name, token: made.json.token })
  const client = await clientOn(webSocket)
  await client.query('create table notes (note text)')
  const closed = closing(webSocket)
  if (how === 'is revoked') await send(server, `DELETE /tokens/${made.json.id}`, team.admin)
  else await send(server, `PUT /orgs/${team.org}/members/${team.admin.login}`, team.owner, { role: 'member' })
  server.clock.advance(11_000)
  expect(await closed).toMatch(how === 'is revoked' ? /^4000 .*revoked/ : /^4000 .*role/)
  await expect(client.query('select 1')).rejects.toThrow()
})

it('ends when nothing is sent, and after its longest time', async () => {
  const app = await withDatabase()
  const webSocket = await tunnel(app)
  const client = await clientOn(webSocket)
  const closed = closing(webSocket)
  let seconds = 0
  const isClosed = closed.then(() => true)
  while (!(await Promise.race([isClosed, new Promise(resolve => setTimeout(resolve, 5, false))]))) {
    server.clock.advance(60_000)
    seconds += 60
    if (seconds < 3600) await client.query('select 1').catch(() => undefined)
  }
  expect(await closed).toBe(`4000 Nothing was sent for ${limits.tunnelIdleMinutes} minutes.`)
  const other = await tunnel(app)
  await clientOn(other)
  const ended = closing(other)
  server.clock.advance(limits.tunnelHours * 3_600_000 + 11_000)
  expect(await ended).toBe(`4000 It lasted ${limits.tunnelHours} hours.`)
})

it('leads to the database of a preview', async () => {
  const app = await withDatabase()
  await app.deploy(procfileApp('one'), '?branch=topic')
  const [preview] = (await send(server, `GET /projects/${app.name}/database`, app)).json.previews
  const { rows } = await (await connected(app, '?branch=topic')).query('select current_database() as name')
  expect(rows).toEqual([{ name: preview.name }])
})

const word = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeInt32BE(value, at * 4)
  return bytes
}

it.each([
  ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n'), 'not that of a client'],
  ['a request for TLS', word(8, 80_877_103), 'Only version 3'],
  ['an old version', word(8, 2 << 16), 'Only version 3'],
  ['a message that is never whole', word(9_000), 'said nothing'],
])('refuses %s', async (_, bytes, why) => {
  const webSocket = await tunnel(await withDatabase())
  const closed = closing(webSocket)
  webSocket.send(bytes)
  await new Promise(resolve => setTimeout(resolve, 50))
  server.clock.advance(10_500)
  expect(await closed).toContain(why)
})

it('refuses a client that wants to replicate, or a setting that there is not', async () => {
  const app = await withDatabase()
  await expect(clientOn(await tunnel(app), { replication: 'database' } as object)).rejects.toThrow(
    'cannot replicate',
  )
  await expect(clientOn(await tunnel(app), { options: '-c no_such_setting=1' })).rejects.toThrow(
    'no_such_setting',
  )
  const { rows } = await (await connected(app)).query('select 1 as one')
  expect(rows).toEqual([{ one: 1 }])
})

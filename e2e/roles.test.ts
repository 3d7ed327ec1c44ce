// Roles split over nodes: two or three machines with data directories of their own, which share a PostgreSQL database and an S3
// storage. Whatever a visitor or a client asks, any node that listens answers it.
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createClient } from '@svc/contract/client'
import { openPostgres } from '@svc/server/dist/store/postgres/store.js'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { WorkingCopy } from '@svc/server/dist/testing/git.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { S3Server } from '@svc/server/dist/testing/s3-server.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findBrowser } from './browser.ts'
import { Machine, type Svcd } from './svcd.ts'

const visitor = '127.0.0.5'

interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: Buffer | string
}

async function startNodes(sets: readonly string[], extra: Record<string, string> = {}) {
  const database = await freshPostgres()
  onTestFinished(database.drop)
  const s3 = await S3Server.start()
  onTestFinished(() => s3.stop())
  const settings = {
    SVCD_DATABASE_URL: database.url,
    SVCD_STORAGE_URL: s3.storageUrl,
    SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
    ...extra,
  }
  const machines = await Promise.all(sets.map(() => Machine.make(settings)))
  const nodes: Svcd[] = []
  onTestFinished(async () => {
    for (const node of nodes) await node.stop('SIGKILL')
    for (const machine of machines) await machine.remove()
  })
  for (const [i, roles] of sets.entries()) nodes.push(await machines[i]!.start('--listen', '--role', roles))
  const token = await machines[0]!.token('ada')
  const ports = nodes.map(portOf)
  const ask = (index: number, host: string, path = '/', { method = 'GET', headers = {}, body }: Asked = {}) =>
    new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>(
      (resolve, reject) => {
        // Loopback addresses other than the usual one, so that a node that adds its own is noticed.
        const options = {
          host: '127.0.0.1',
          localAddress: visitor,
          port: ports[index],
          path,
          method,
          headers: { host, ...headers },
        }
        request(options, res => {
          text(res).then(
            all => resolve({ status: res.statusCode ?? 0, text: all, headers: res.headers }),
            reject,
          )
        })
          .on('error', reject)
          .end(body)
      },
    )
  const clientOf = (index: number) => createClient({ baseUrl: `http://127.0.0.1:${ports[index]}`, token })
  return {
    nodes,
    ports,
    token,
    ask,
    clientOf,
    store: async () => {
      const store = await openPostgres(database.url, () => undefined)
      onTestFinished(() => store.close())
      return store
    },
    async deploy(index: number, name: string, files: Record<string, string>): Promise<void> {
      const answer = await ask(index, 'api.localhost', `/projects/${name}/deployments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' },
        body: archiveOf(files),
      })
      expect(answer).toMatchObject({ status: 201 })
    },
    async copyOf(index: number, name: string): Promise<WorkingCopy> {
      const copy = await WorkingCopy.of(`http://git:${token}@127.0.0.1:${ports[index]}/git/ada/${name}.git`)
      onTestFinished(() => copy.remove())
      return copy
    },
  }
}

/** The line that says that svcd is ready names its port. */
const portOf = ({ stdout }: Svcd): number =>
  Number(/:(\d+)/.exec(stdout.find(line => line.includes('svcd ready')) ?? '')?.[1])

type Nodes = Awaited<ReturnType<typeof startNodes>>

const app = `
const http = require('node:http')
const server = http.createServer((req, res) => {
  console.log('asked for ' + req.url)
  if (req.method === 'POST') return req.pipe(res)
  res.end(JSON.stringify({ from: req.headers['x-forwarded-for'], host: req.headers.host, inner: req.headers['x-svc-peer'] }))
})
server.on('upgrade', (req, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: echo\\r\\n\\r\\n')
  socket.pipe(socket)
})
server.listen(process.env.PORT, process.env.HOSTNAME)
`

/** Sends `ping` over an upgraded connection and returns everything that came back until the app answered it. */
function echo(port: number, host: string, headers = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: visitor })
    let seen = ''
    socket.setEncoding('latin1').on('data', chunk => {
      if (!seen.includes('\r\n\r\n') && (seen + chunk).includes(' 101 ')) socket.write('ping')
      seen += chunk
      if (seen.endsWith('ping')) socket.end()
    })
    socket.on('close', () => resolve(seen)).on('error', reject)
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n${headers}\r\n`)
  })
}

async function serveStaticSite({ ports, ask, deploy, clientOf }: Nodes): Promise<void> {
  await clientOf(0)('POST /projects', { body: { name: 'site' } })
  for (const [index] of ports.entries()) {
    await deploy(index, 'site', { 'index.html': `page of ${index}` })
    for (const [visited] of ports.entries())
      expect(await ask(visited, 'site.localhost')).toMatchObject({ status: 200, text: `page of ${index}` })
  }
  const last = ports.length - 1
  await clientOf(last)('PUT /projects/:name/password', {
    params: { name: 'site' },
    body: { password: 'sesame street' },
  })
  const unlock = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  for (const [index] of ports.entries()) {
    expect(await ask(index, 'site.localhost')).toMatchObject({ status: 401 })
    const wrong = { ...unlock, body: 'password=guess&to=/' }
    expect(await ask(index, 'site.localhost', '/_svc/unlock', wrong)).toMatchObject({ status: 401 })
    const right = { ...unlock, body: 'password=sesame+street&to=/' }
    const { headers } = await ask(index, 'site.localhost', '/_svc/unlock', right)
    const cookie = String(headers['set-cookie']).split(';')[0] ?? ''
    for (const [visited] of ports.entries())
      expect(await ask(visited, 'site.localhost', '/', { headers: { cookie } })).toMatchObject({
        status: 200,
      })
  }
}

async function serveApp({ ports, ask, deploy, clientOf }: Nodes): Promise<void> {
  await clientOf(0)('POST /projects', { body: { name: 'shop' } })
  await deploy(0, 'shop', { Procfile: 'web: node app.cjs', 'app.cjs': app })
  const body = randomBytes(300_000).toString('hex')
  for (const [index, port] of ports.entries()) {
    const answer = await ask(index, 'shop.localhost', `/${index}`, {
      headers: { 'x-svc-peer': '6.6.6.6 tls' },
    })
    expect(answer).toMatchObject({ status: 200 })
    expect(JSON.parse(answer.text)).toEqual({ from: visitor, host: 'shop.localhost' })
    const echoed = await ask(index, 'shop.localhost', '/', { method: 'POST', body })
    expect(echoed.text === body).toBe(true)
    expect(await echo(port, 'shop.localhost')).toMatch(/^HTTP\/1.1 101 .*ping$/s)
  }
  for (const [index] of ports.entries())
    await eventually(async () => {
      const { logs } = await clientOf(index)('GET /projects/:name/logs', { params: { name: 'shop' } })
      return ports.every((_, asked) => logs.includes(`asked for /${asked}`))
    })
  await clientOf(0)('PUT /projects/:name/password', {
    params: { name: 'shop' },
    body: { password: 'sesame street' },
  })
  for (const [index, port] of ports.entries()) {
    expect(await ask(index, 'shop.localhost')).toMatchObject({ status: 401 })
    expect(await echo(port, 'shop.localhost')).toMatch(/^HTTP\/1.1 401 /)
  }
}

async function buildPushes({ ports, ask, clientOf, copyOf }: Nodes): Promise<void> {
  const last = ports.length - 1
  await clientOf(last)('POST /projects', { body: { name: 'pushed' } })
  const repo = { repo: 'ada/pushed', install_cmd: 'true', build_cmd: 'true', output_dir: '.' }
  await clientOf(last)('POST /projects/:name/repo', { params: { name: 'pushed' }, body: repo })
  const copy = await copyOf(last, 'pushed')
  await copy.commit({ 'index.html': 'pushed' })
  expect(await copy.git('push', 'origin', 'HEAD:main')).toMatchObject({ code: 0 })
  for (const [index] of ports.entries()) {
    await eventually(async () => (await ask(index, 'pushed.localhost')).text === 'pushed')
    expect(await (await copyOf(index, 'pushed')).git('pull', 'origin', 'main')).toMatchObject({ code: 0 })
  }
}

async function runCronOnce({ clientOf, store }: Nodes): Promise<void> {
  const params = { name: 'pushed' }
  const { id } = await clientOf(0)('POST /projects/:name/crons', {
    params,
    body: { schedule: '0 0 1 1 *', path: '/' },
  })
  const { db } = await store()
  const minute = Math.floor(Date.now() / 60_000) * 60_000
  await db.updateTable('crons').set({ next_run_at: minute }).where('id', '=', id).execute()
  const runs = () =>
    db.selectFrom('cron_runs').select(['status', 'error']).where('cron_id', '=', id).execute()
  await eventually(async () => (await runs()).some(run => run.status !== null))
  expect(await runs()).toEqual([{ status: 200, error: null }])
}

const tested = [
  ['api,edge', 'runner,builder,worker'],
  ['api,worker', 'edge,runner,builder'],
  ['api,builder', 'edge', 'runner,worker'],
  ['api,edge,worker', 'api,edge,builder', 'runner'],
]

describe.each(tested.map(sets => [sets.join(' + '), sets] as const))('nodes with the roles %s', (_, sets) => {
  test('answer for each other: sites, apps, pushes, scheduled jobs, logs', async () => {
    const nodes = await startNodes(sets)
    for (const [index] of nodes.ports.entries())
      for (const path of ['/health', '/health/live', '/health/ready'])
        await eventually(async () => (await nodes.ask(index, '127.0.0.1', path)).status === 200)
    await serveStaticSite(nodes)
    await serveApp(nodes)
    await buildPushes(nodes)
    await runCronOnce(nodes)
  })
})

test('a picture is no visit where one node makes it and another one answers its requests', async () => {
  const { ask, deploy, clientOf } = await startNodes(['api,edge', 'worker'], { SVCD_CHROMIUM: findBrowser() })
  const call = clientOf(0)
  const named = { params: { name: 'quiet' } }
  await call('POST /projects', { body: { name: 'quiet' } })
  await deploy(0, 'quiet', { 'index.html': '<!doctype html><script src="/app.js"></script>', 'app.js': '' })
  await eventually(async () => (await call('GET /projects/:name', named)).picture !== null)
  // A visitor cannot make the mark.
  await ask(0, 'quiet.localhost', '/seen', {
    headers: { 'x-svc-picture': `${Date.now() + 60_000}.${'a'.repeat(43)}` },
  })
  const paths = async () =>
    (await call('GET /projects/:name/requests', named)).requests.map(({ path }) => path)
  await eventually(async () => (await paths()).includes('/seen'))
  expect(await paths()).toEqual(['/seen'])
})

test('what a killed node did is done by the others', async () => {
  const { nodes, ask, deploy, clientOf } = await startNodes(['edge', 'api,runner', 'api,runner,worker'])
  await clientOf(0)('POST /projects', { body: { name: 'shop' } })
  await deploy(0, 'shop', { Procfile: 'web: node app.cjs', 'app.cjs': app })
  expect(await ask(0, 'shop.localhost')).toMatchObject({ status: 200 })
  await nodes[1]!.stop('SIGKILL')
  for (let i = 0; i < 4; i++) expect((await clientOf(0)('GET /projects', {})).projects).toHaveLength(1)
  await eventually(async () => (await ask(0, 'shop.localhost')).status === 200)
  await nodes[2]!.stop()
  await eventually(async () => (await ask(0, '127.0.0.1', '/health/ready')).status === 200)
  const refused = await ask(0, '127.0.0.1', '/projects')
  expect(refused).toMatchObject({ status: 503 })
  expect(refused.headers['retry-after']).toBe('5')
  expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'unavailable' } })
})

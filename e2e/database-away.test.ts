// Two machines on one PostgreSQL database and one S3 storage, with data directories of their own. One of them is started again
// while the database refuses connections or stands still: it serves what it knew.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { createClient } from '@svc/contract/client'
import { countJobs } from '@svc/server/dist/store/platform/jobs.js'
import { openPostgres } from '@svc/server/dist/store/postgres/store.js'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { S3Server } from '@svc/server/dist/testing/s3-server.js'
import { TcpProxy } from '@svc/server/dist/testing/tcp-proxy.js'
import { expect, onTestFinished, test } from 'vitest'
import { Machine, type Svcd } from './svcd.ts'

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

async function startTwo(extra: Record<string, string>) {
  const database = await freshPostgres()
  onTestFinished(database.drop)
  const s3 = await S3Server.start()
  onTestFinished(() => s3.stop())
  const { proxy, url } = await TcpProxy.before(database.url)
  onTestFinished(() => proxy.close())
  const shared = {
    SVCD_STORAGE_URL: s3.storageUrl,
    SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
    SVCD_DATABASE_CONNECT_SECONDS: '1',
  }
  const away = await Machine.make({ ...shared, SVCD_DATABASE_URL: url, ...extra })
  const other = await Machine.make({ ...shared, SVCD_DATABASE_URL: database.url })
  const running = new Set<Svcd>()
  onTestFinished(async () => {
    for (const svcd of running) await svcd.stop('SIGKILL')
    for (const machine of [away, other]) await machine.remove()
  })
  const start = async (machine: Machine): Promise<Svcd> => {
    const svcd = await machine.start()
    running.add(svcd)
    return svcd
  }
  const [first, second] = [await start(away), await start(other)]
  const token = await other.token('ada')
  const client = createClient({ baseUrl: `http://127.0.0.1:${second.port}`, token })
  const deploy = async (name: string, page: string) => {
    const answer = await ask(second, '127.0.0.1', `/projects/${name}/deployments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' },
      body: archiveOf({ 'index.html': page }),
    })
    expect(answer.status).toBe(201)
    return JSON.parse(answer.text) as { id: string }
  }
  /** Resolves when the first machine has copies of the sites on its disk, and no job changes them any more. */
  const kept = async (...names: string[]) => {
    const store = await openPostgres(database.url, () => undefined)
    try {
      await eventually(async () => (await countJobs(store.db)) === 0)
    } finally {
      await store.close()
    }
    for (const name of names)
      await eventually(async () => existsSync(path.join(away.dataDir, 'edge-copies', folderOf(name))))
  }
  return { away, proxy, first, token, client, deploy, start, kept }
}

function ask(
  { port }: Svcd,
  host: string,
  path = '/',
  { method = 'GET', headers = {}, body = undefined as Buffer | string | undefined } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, path, method, headers: { host, ...headers } }, res =>
      text(res).then(
        read => resolve({ status: res.statusCode ?? 0, headers: res.headers, text: read }),
        reject,
      ),
    )
    req.on('error', reject).end(body)
  })
}

const folderOf = (project: string) =>
  createHash('sha256').update(`project ${project}`).digest('hex').slice(0, 32)

const visit = (svcd: Svcd, site: string, path = '/') => ask(svcd, `${site}.localhost`, path)

const form = { 'content-type': 'application/x-www-form-urlencoded' }

test.each([
  { how: 'refuses connections', workers: '0' },
  { how: 'stands still', workers: '2' },
])(
  'an edge with $workers workers that is killed and started while the database $how serves the sites that it knew, and sees later changes',
  async ({ how, workers }) => {
    const nodes = await startTwo({ SVCD_EDGE_WORKERS: workers })
    const { client, proxy, deploy } = nodes
    for (const name of ['shop', 'secret', 'hidden', 'unasked']) {
      await client('POST /projects', { body: { name } })
      await deploy(name, `the ${name}`)
    }
    await deploy('shop', 'the new shop')
    const password = (name: string) =>
      client('PUT /projects/:name/password', { params: { name }, body: { password: 'open sesame' } })
    await password('secret')
    for (const name of ['shop', 'secret', 'hidden'])
      await eventually(async () => (await visit(nodes.first, name)).status < 404)
    expect((await visit(nodes.first, 'hidden')).text).toBe('the hidden')
    // This edge is not asked for the site after the change.
    await password('hidden')
    const unlocked = await ask(nodes.first, 'secret.localhost', '/_svc/unlock', {
      method: 'POST',
      headers: form,
      body: 'password=open+sesame',
    })
    const cookie = String(unlocked.headers['set-cookie']).split(';')[0] ?? ''
    expect((await ask(nodes.first, 'secret.localhost', '/', { headers: { cookie } })).text).toBe('the secret')
    await nodes.kept('shop', 'secret')

    if (how === 'refuses connections') proxy.refuse(true)
    else proxy.freeze()
    expect(await nodes.first.stop('SIGKILL')).toBe('SIGKILL')
    const svcd = await nodes.start(nodes.away)

    expect(await visit(svcd, 'shop')).toMatchObject({ status: 200, text: 'the new shop' })
    expect((await visit(svcd, 'secret')).status).toBe(401)
    expect((await ask(svcd, 'secret.localhost', '/', { headers: { cookie } })).text).toBe('the secret')
    expect((await visit(svcd, 'hidden')).text).not.toContain('the hidden')
    for (const name of ['unasked', 'nobody'])
      expect(await visit(svcd, name)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    const health = await ask(svcd, '127.0.0.1', '/health')
    expect(health).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    expect(health.text).toContain('serves sites as it last knew them')
    expect((await ask(svcd, '127.0.0.1', '/health/live')).status).toBe(200)
    expect(
      await ask(svcd, '127.0.0.1', '/me', { headers: { authorization: `Bearer ${nodes.token}` } }),
    ).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    expect(svcd.stderr.join('\n')).toContain('started without the database')

    // A change that the node does not hear of while the database is away for it.
    await deploy('shop', 'the newest shop')
    await password('shop')
    await deploy('unasked', 'asked now')
    expect((await visit(svcd, 'shop')).text).toBe('the new shop')

    proxy.refuse(false)
    proxy.thaw()
    proxy.reset()
    await eventually(async () => (await ask(svcd, '127.0.0.1', '/health')).status === 200)
    // Each edge worker finds the database by itself, a moment sooner or later than the main process.
    await eventually(async () => (await visit(svcd, 'shop')).status === 401)
    await eventually(async () => (await visit(svcd, 'unasked')).text === 'asked now')
    await eventually(async () => (await visit(svcd, 'hidden')).status === 401)
    await eventually(async () => (await visit(svcd, 'nobody')).status === 404)
    const me = await ask(svcd, '127.0.0.1', '/me', { headers: { authorization: `Bearer ${nodes.token}` } })
    expect(me.status).toBe(200)
    expect(await svcd.stop()).toBe(0)
  },
)

// Nodes of two versions side by side, on one PostgreSQL database and one storage. The newer version is this one with one migration more
// and with a kind of jobs that the older one does not know. The older one is this one, or the release that SVC_OLDER_RELEASE names
// (`npm run release` in a checkout of it).
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { openPostgres } from '@svc/server/dist/store/postgres/store.js'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { WorkingCopy } from '@svc/server/dist/testing/git.js'
import { startMailServer } from '@svc/server/dist/testing/mail-server.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { S3Server } from '@svc/server/dist/testing/s3-server.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { http1, Load } from './load.ts'
import { Releases } from './releases.ts'
import { Machine } from './svcd.ts'

const releases = new Releases()
const programs = { older: '', newer: '' }
const newKind = 'password-mail-of-the-newer-version'

beforeAll(async () => {
  await releases.make()
  programs.older = await releases.unpack(process.env.SVC_OLDER_RELEASE ?? releases.present)
  const newer = await releases.doctored('9.0.1', {
    migration: 'await db.schema.alterTable("projects").addColumn("doctored", "text").execute()',
    rename: { from: 'password-mail', to: newKind },
  })
  programs.newer = await releases.unpack(newer)
})
afterAll(() => releases.remove())

async function startCluster() {
  const [database, s3, mail] = [await freshPostgres(), await S3Server.start(), await startMailServer()]
  const settings = {
    SVCD_DATABASE_URL: database.url,
    SVCD_STORAGE_URL: s3.storageUrl,
    SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
    SVCD_SMTP_URL: mail.url,
    SVCD_MAIL_FROM: 'svc <svc@example.com>',
    SVCD_LOG_LEVEL: 'info',
  }
  const store = await openPostgres(database.url, () => undefined)
  const ends: (() => Promise<unknown>)[] = [
    () => store.close(),
    database.drop,
    () => s3.stop(),
    () => mail.stop(),
  ]
  onTestFinished(async () => {
    for (const end of ends) await end()
  })
  const startNode = async (version: keyof typeof programs, roles: string) => {
    const machine = await Machine.make(settings)
    machine.program = programs[version]
    ends.unshift(() => machine.remove())
    const svcd = await machine.start('--listen', '--role', roles)
    ends.unshift(() => svcd.stop('SIGKILL'))
    const ask = (host: string, path: string, { method = 'GET', headers = {}, body }: Asked = {}) =>
      new Promise<{ status: number; text: string }>((resolve, reject) =>
        request({ host: '127.0.0.1', port: svcd.port, path, method, headers: { host, ...headers } }, res => {
          text(res).then(all => resolve({ status: res.statusCode ?? 0, text: all }), reject)
        })
          .on('error', reject)
          .end(body),
      )
    return { machine, svcd, ask }
  }
  return { store, mail, startNode }
}

interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: Buffer | string
}

type Node = Awaited<ReturnType<Awaited<ReturnType<typeof startCluster>>['startNode']>>

const all = 'api,edge,runner,builder,worker'
const password = 'correct horse battery'

test('an older and a newer node serve one platform side by side, and no request fails on the way', async () => {
  const { store, mail, startNode } = await startCluster()
  const older = await startNode('older', all)
  const token = await older.machine.token('ada')
  await sql`update accounts set email = login || '@example.com', password_hash = 'x'`.execute(store.db)
  const api = (node: Node, method: string, path: string, body: object | Buffer = {}) =>
    node.ask('api.localhost', path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': Buffer.isBuffer(body) ? 'application/gzip' : 'application/json',
      },
      ...(method !== 'GET' && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    })
  const deploy = async (node: Node, page: string) =>
    expect(
      await api(node, 'POST', '/projects/shop/deployments', archiveOf({ 'index.html': page })),
    ).toMatchObject({ status: 201 })
  const page = async (node: Node) => (await node.ask('shop.localhost', '/')).text
  for (const name of ['shop', 'still', 'pushed'])
    expect(await api(older, 'POST', '/projects', { name })).toMatchObject({ status: 201 })
  await api(older, 'POST', '/projects/still/deployments', archiveOf({ 'index.html': 'still' }))
  const visits = (node: Node) =>
    new Load([http1({ host: 'still.localhost', port: node.svcd.port }, true)], '200 still')
  const atOlder = visits(older)
  await atOlder.more(20)

  const newer = await startNode('newer', 'api,edge,runner')
  const atNewer = visits(newer)
  expect(newer.svcd.stderr.join('\n')).toContain('900_doctored')
  const nodes = [older, newer]

  for (const [i, node] of nodes.entries()) {
    await deploy(node, `page ${i}`)
    for (const each of nodes) expect(await page(each)).toBe(`page ${i}`)
    await api(node, 'PUT', `/projects/shop/access`, { password, mode: 'password' })
    for (const each of nodes) expect((await each.ask('shop.localhost', '/')).status).toBe(401)
    await api(node, 'PUT', `/projects/shop/access`, { mode: 'public' })
    for (const each of nodes) expect(await page(each)).toBe(`page ${i}`)
  }

  await api(newer, 'POST', '/projects/pushed/repo', {
    repo: 'ada/pushed',
    install_cmd: 'true',
    build_cmd: 'true',
    output_dir: '.',
  })
  for (const [i, node] of nodes.entries()) {
    const copy = await WorkingCopy.of(`http://git:${token}@127.0.0.1:${node.svcd.port}/git/ada/pushed.git`)
    onTestFinished(() => copy.remove())
    if (i > 0) await copy.git('pull', 'origin', 'main')
    await copy.commit({ 'index.html': `push ${i}` })
    expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
    for (const each of nodes)
      await eventually(async () => (await each.ask('pushed.localhost', '/')).text === `push ${i}`)
  }

  const forget = (node: Node, login: string) => api(node, 'POST', '/auth/password/forgot', { login })
  const waiting = async () =>
    (await store.db.selectFrom('jobs').selectAll().where('kind', '=', newKind).execute()).map(
      ({ attempts, failed_at }) => ({ attempts, failed_at }),
    )
  await forget(newer, 'ada')
  expect(await waiting()).toEqual([{ attempts: 0, failed_at: null }])
  // Of a job that was queued later, the older node knows the kind.
  await forget(older, 'ada')
  await eventually(() => mail.taken.length === 1)
  expect(await waiting()).toEqual([{ attempts: 0, failed_at: null }])
  const replacing = await startNode('newer', all)
  await eventually(() => mail.taken.length === 2)
  await eventually(async () => (await waiting()).length === 0)

  await atOlder.more(20)
  await atOlder.stop()
  expect(await older.svcd.stop()).toBe(0)
  await deploy(replacing, 'the last page')
  expect(await page(newer)).toBe('the last page')
  await atNewer.more(20)
  await atNewer.stop()
  expect([...atOlder.failed, ...atNewer.failed]).toEqual([])
  const again = await older.machine.outcome('start')
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('Install svcd 9.0.1') })
})

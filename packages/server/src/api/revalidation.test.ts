import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { eventually } from '../testing/eventually.ts'
import { S3Server } from '../testing/s3-server.ts'
import { refusal } from '../testing/send.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'

/** An app whose answers all differ, and may be cached for an hour. */
const counting = `
let count = 0
require('node:http').createServer((req, res) => {
  res.writeHead(200, { 'cache-control': 'public, s-maxage=3600' })
  res.end(process.env.NAME + ' ' + ++count)
}).listen(process.env.PORT, process.env.HOSTNAME)
`

onEveryServer(server => {
  const revalidate = (app: TestApp, paths: unknown) =>
    server().request(`/projects/${app.name}/revalidate`, {
      method: 'POST',
      token: app.token,
      body: { paths },
    })
  const visit = async (app: TestApp, path: string) => {
    const { text, headers } = await server().site(app.name, path)
    return `${headers['x-svc-cache']} ${text}`
  }

  describe('pages of a server app', () => {
    test('are kept by the edge, until they are revalidated with all their query strings', async () => {
      const app = await TestApp.create(server())
      await app.deploy(procfileApp('one', counting))
      expect(await visit(app, '/blog')).toBe('MISS one 1')
      expect(await visit(app, '/blog?page=2')).toBe('MISS one 2')
      expect(await visit(app, '/about')).toBe('MISS one 3')
      expect(await visit(app, '/blog')).toBe('HIT one 1')

      const answer = await revalidate(app, ['/blog', '/blog?page=7', '/caf%C3%A9'])
      expect([answer.status, answer.json]).toEqual([200, { ok: true, evicted: 2 }])
      expect((await revalidate(app, ['/caf%C3%A9'])).json).toEqual({ ok: true, evicted: 0 })
      const { entries } = (await server().request(`/projects/${app.name}/audit`, { token: app.token })).json
      expect(entries.slice(0, 2)).toMatchObject([
        { action: 'cache.revalidate', target: '/café', details: { paths: 1 } },
        { action: 'cache.revalidate', target: '/blog', details: { paths: 2 } },
      ])
      expect(await visit(app, '/blog')).toBe('MISS one 4')
      expect(await visit(app, '/blog?page=2')).toBe('MISS one 5')
      expect(await visit(app, '/about')).toBe('HIT one 3')
    })

    test('are those of the new deployment from its first moment on', async () => {
      const app = await TestApp.create(server())
      await app.deploy(procfileApp('one', counting))
      expect(await visit(app, '/')).toBe('MISS one 1')
      await app.deploy(procfileApp('two', counting))
      expect(await visit(app, '/')).toBe('MISS two 1')
    })

    test('are revalidated by paths alone, and not too many of them', async () => {
      const app = await TestApp.create(server())
      for (const paths of [['blog'], ['/%zz'], ['/a%00b'], [], 'all', Array(101).fill('/')])
        expect(refusal(await revalidate(app, paths))).toBe('400 invalid_request')
      const stranger = await TestApp.create(server())
      const path = `/projects/${app.name}/revalidate`
      const asked = { method: 'POST', token: stranger.token, body: { paths: ['/'] } }
      expect(refusal(await server().request(path, asked))).toBe('404 not_found')
    })
  })
})

test('pages are forgotten by the edges of all nodes', async () => {
  const s3 = await S3Server.start()
  const shared = {
    SVCD_STORAGE_URL: s3.storageUrl,
    SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
  }
  const one = await TestServer.start('postgres', shared)
  const { SVCD_DATABASE_URL = '' } = one.environment
  const two = await TestServer.start('sqlite', { ...shared, SVCD_DATABASE_URL })
  try {
    const app = await TestApp.create(one)
    await app.deploy(procfileApp('one', counting))
    const state = async (node: TestServer, path: string) =>
      (await node.site(app.name, path)).headers['x-svc-cache']
    for (const node of [one, two])
      for (const path of ['/%C3%A4', '/%C3%A4?page=2', '/about']) {
        expect(await state(node, path)).toBe('MISS')
        expect(await state(node, path)).toBe('HIT')
      }
    const asked = { method: 'POST', token: app.token, body: { paths: ['/%C3%A4'] } }
    const answer = await one.request(`/projects/${app.name}/revalidate`, asked)
    expect(answer.json).toEqual({ ok: true, evicted: 2 })
    expect(await state(one, '/%C3%A4')).toBe('MISS')
    // The other node reads the change from the database a moment later.
    await eventually(async () => (await state(two, '/%C3%A4')) === 'MISS')
    expect(await state(two, '/%C3%A4?page=2')).toBe('MISS')
    for (const node of [one, two]) expect(await state(node, '/about')).toBe('HIT')
  } finally {
    await two.remove()
    await one.remove()
    await s3.stop()
  }
})

// A whole platform on PostgreSQL while the database does not answer, and two platforms on one database.
import { expect, it, onTestFinished, vi } from 'vitest'
import { archiveOf } from '../testing/archives.ts'
import { migratedPostgres } from '../testing/postgres.ts'
import { TestServer } from '../testing/server.ts'
import { TcpProxy } from '../testing/tcp-proxy.ts'

async function database(): Promise<string> {
  const { url, drop } = await migratedPostgres()
  onTestFinished(drop)
  return url
}

async function start(url: string, extra: Record<string, string> = {}): Promise<TestServer> {
  const server = await TestServer.start('sqlite', {
    SVCD_LOG_LEVEL: 'silent',
    SVCD_DATABASE_URL: url,
    ...extra,
  })
  onTestFinished(() => server.remove())
  return server
}

async function deployedSite(server: TestServer, name: string): Promise<string> {
  const { token } = await server.account()
  await server.request('/projects', { method: 'POST', token, body: { name } })
  await deploy(server, token, name, 'first')
  return token
}

async function deploy(server: TestServer, token: string, name: string, page: string): Promise<void> {
  const answer = await server.request(`/projects/${name}/deployments`, {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/gzip' },
    body: archiveOf({ 'index.html': page }),
  })
  expect(answer.status).toBe(201)
}

it('while the database does not answer, sites go on, the API says so, and all goes on when it answers', async () => {
  const { proxy, url } = await TcpProxy.before(await database())
  onTestFinished(() => proxy.close())
  const server = await start(url)
  const token = await deployedSite(server, 'shop')
  const visit = () => server.request('/', { host: 'shop.localhost' })
  expect((await visit()).text).toBe('first')

  proxy.freeze()
  expect(await server.request('/health/live')).toMatchObject({ status: 200, json: { ok: true } })
  await vi.waitFor(async () => expect((await server.request('/health')).status).toBe(503), {
    timeout: 60_000,
  })
  expect(await server.request('/health/ready')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '5' },
  })
  expect(await server.request('/me', { token })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '5' },
    json: { error: { code: 'unavailable' } },
  })
  expect(await visit()).toMatchObject({ status: 200, text: 'first' })

  proxy.thaw()
  proxy.reset()
  await vi.waitFor(
    async () => {
      expect((await server.request('/me', { token })).status).toBe(200)
      expect((await server.request('/health/ready')).status).toBe(200)
    },
    { timeout: 60_000 },
  )
})

it('what one node has acknowledged, the other one shows: deployments, rollbacks, passwords', async () => {
  const url = await database()
  const key = { SVCD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
  const [first, second] = [await start(url, key), await start(url, key)]
  const token = await deployedSite(first, 'shop')
  // The nodes of this test have a storage each, so only what rows say is compared.
  const status = async () => (await second.request('/none', { host: 'shop.localhost' })).status
  for (let i = 0; i < 10; i++) {
    await first.request('/projects/shop/password', {
      method: 'PUT',
      token,
      body: { password: `secret-${i}` },
    })
    expect(await status()).toBe(401)
    await first.request('/projects/shop/password', { method: 'DELETE', token })
    expect(await status()).not.toBe(401)
  }
})

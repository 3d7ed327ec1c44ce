import { expect, it } from 'vitest'
import { RequestRecorder } from '../core/logs/request-recorder.ts'
import { forgetOldRequests } from '../core/logs/requests.ts'
import type { Access } from '../core/stats/access.ts'
import { eventually } from '../testing/eventually.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer, type TestServer } from '../testing/server.ts'
import { deploySite, setPassword } from '../testing/sites.ts'

interface Site {
  token: string
  name: string
}

async function newSite(server: TestServer, files: Record<string, string> = {}): Promise<Site> {
  const { token } = await server.account()
  return { token, name: await deploySite(server, token, { 'index.html': 'home', ...files }) }
}

const read = async (server: TestServer, site: Site, query = '') =>
  (await send(server, `GET /projects/${site.name}/requests${query}`, site)).json

interface Logged {
  method: string
  path: string
  status: number
  count: number
}

const words = ({ method, path, status }: Logged) => `${method} ${path} ${status}`
const sum = (requests: Logged[]) => requests.reduce((all, { count }) => all + count, 0)

/** Waits until so many requests are in the log. */
async function logged(server: TestServer, site: Site, requests: number) {
  await eventually(async () => sum((await read(server, site, '?limit=100')).requests) >= requests)
  return await read(server, site, '?limit=100')
}

onEveryServer(server => {
  const newRecorder = (settings = {}) => new RequestRecorder(server().running.platform.store, settings)

  async function madeUp(site: Site) {
    const { json } = await send(server(), `GET /projects/${site.name}`, site)
    const access = (change: Partial<Access>): Access => ({
      at: server().clock.now(),
      projectId: json.id,
      host: 'a.localhost',
      method: 'GET',
      target: '/',
      status: 200,
      bytes: 1,
      cache: 'HIT',
      html: false,
      peer: '127.0.0.1',
      deploymentId: undefined,
      requestId: undefined,
      ms: 3,
      fields: '',
      times: 1,
      source: 'static',
      taken: false,
      ...change,
    })
    return access
  }

  it.concurrent('a site logs each request with its status, cache result, size, deployment and id', async () => {
    const site = await newSite(server(), { 'style.css': 'p{}' })
    await server().site(site.name, '/')
    await server().site(site.name, '/')
    const missing = await server().site(site.name, '/missing')
    await server().site(site.name, '/style.css', { method: 'HEAD' })
    const { requests, sampled, next_cursor } = await logged(server(), site, 4)
    expect([sampled, next_cursor]).toEqual([false, null])
    expect(requests.map(words).sort()).toEqual([
      'GET / 200',
      'GET / 200',
      'GET /missing 404',
      'HEAD /style.css 200',
    ])
    const { json } = await send(server(), `GET /projects/${site.name}`, site)
    const at404 = requests.find((request: Logged) => request.status === 404)
    expect(at404).toMatchObject({
      host: expect.stringContaining(`${site.name}.localhost`),
      count: 1,
      deployment_id: json.active_deployment_id,
      request_id: missing.headers['x-svc-request-id'],
    })
    const home = requests.filter((request: Logged) => request.path === '/')
    expect(home.map((request: { bytes: number }) => request.bytes)).toEqual([4, 4])
    expect(home[0]).toMatchObject({ cache: 'HIT', deployment_id: json.active_deployment_id })
  })

  it.concurrent('the log holds no query, no address and no user agent', async () => {
    const site = await newSite(server())
    const headers = { 'user-agent': 'secret-agent', referer: 'https://secret.example/', cookie: 'a=secret' }
    await server().site(site.name, '/?token=secret', { headers })
    await server().site(site.name, '/missing?token=secret', { headers })
    const answer = await logged(server(), site, 2)
    expect(answer.requests).toHaveLength(2)
    expect(JSON.stringify(answer)).not.toMatch(/secret|127\.0\.0\.1|::1/)
  })

  it.concurrent('the page of the password gate is logged without a deployment', async () => {
    const site = await newSite(server())
    await setPassword(server(), site.token, site.name, 'open sesame')
    await server().site(site.name, '/')
    const { requests } = await logged(server(), site, 1)
    expect(requests).toMatchObject([{ path: '/', status: 401, deployment_id: null }])
  })

  it.concurrent('requests are found by status, path, time and deployment, and in pages', async () => {
    const site = await newSite(server())
    const access = await madeUp(site)
    const now = server().clock.now()
    const recorder = newRecorder()
    const statuses = [200, 301, 404, 410, 500]
    statuses.forEach((status, i) => {
      const requestId = `req_of_${status}`
      const target = `/a_b/${i}?q=1`
      recorder.add(access({ at: now + i * 1000, status, target, deploymentId: 'dep_a', requestId }))
    })
    recorder.add(access({ at: now + 5000, target: '/aXb/5', status: 0 }))
    await recorder.write()
    const found = async (query: string) => (await read(server(), site, query)).requests.map(words)
    expect(await found('?status=4xx')).toEqual(['GET /a_b/3 410', 'GET /a_b/2 404'])
    expect(await found('?status=404')).toEqual(['GET /a_b/2 404'])
    expect(await found('?path=/a_&limit=2')).toEqual(['GET /a_b/4 500', 'GET /a_b/3 410'])
    expect(await found('?path=/A')).toEqual([])
    expect(await found('?deployment=dep_a&status=5xx')).toEqual(['GET /a_b/4 500'])
    expect(await found('?request=req_of_500')).toEqual(['GET /a_b/4 500'])
    expect(await found('?request=req_of_nothing')).toEqual([])
    const seconds = (ms: number) => (ms / 1000).toFixed(3)
    expect(await found(`?since=${seconds(now + 3000)}`)).toEqual(['GET /aXb/5 0', 'GET /a_b/4 500'])
    expect(await found(`?until=${seconds(now + 1000)}`)).toEqual(['GET /a_b/0 200'])
    const first = await read(server(), site, '?limit=4')
    const second = await read(server(), site, `?limit=4&cursor=${first.next_cursor}`)
    expect([first, second].flatMap(page => page.requests.map((r: Logged) => r.status))).toEqual([
      0,
      ...statuses.toReversed(),
    ])
    expect(second.next_cursor).toBeNull()
  })

  it.concurrent('requests are found by method and host, in capitals or not, with or without the port', async () => {
    const site = await newSite(server())
    const access = await madeUp(site)
    const recorder = newRecorder()
    const rows: [method: string, host: string, status: number][] = [
      ['GET', 'a.localhost:3000', 200],
      ['POST', 'a.localhost:3000', 500],
      ['GET', 'www.example.com', 200],
      ['GET', 'www.example.com.evil.test', 0],
      ['HEAD', '[::1]:3000', 200],
    ]
    const now = server().clock.now()
    rows.forEach(([method, host, status], i) => {
      recorder.add(access({ at: now + i, target: `/${i}`, method, host, status }))
    })
    await recorder.write()
    const found = async (query: string) =>
      (await read(server(), site, query)).requests.map((r: Logged) => r.path).toReversed()
    expect(await found('?method=GET')).toEqual(['/0', '/2', '/3'])
    expect(await found('?method=post')).toEqual(['/1'])
    expect(await found('?method=PUT')).toEqual([])
    expect(await found('?host=a.localhost:3000')).toEqual(['/0', '/1'])
    expect(await found('?host=A.localhost')).toEqual(['/0', '/1'])
    expect(await found('?host=a.localhost:30')).toEqual([])
    expect(await found('?host=www.example.com')).toEqual(['/2'])
    expect(await found('?host=[::1]')).toEqual(['/4'])
    expect(await found('?status=0')).toEqual(['/3'])
    expect(await found('?host=a.localhost&method=GET&status=2xx&path=/0')).toEqual(['/0'])
    expect(await found('?host=a.localhost&method=GET&status=5xx')).toEqual([])
  })

  it.concurrent('under load a sample is kept that says so, and errors are not crowded out', async () => {
    const site = await newSite(server())
    const access = await madeUp(site)
    const recorder = newRecorder({ burst: 10, perSecond: 1 })
    for (let i = 0; i < 500; i++) recorder.add(access({ status: i === 499 ? 500 : i % 2 ? 404 : 200 }))
    await recorder.write()
    const { requests, sampled } = await read(server(), site, '?limit=100')
    expect(sampled).toBe(true)
    const withStatus = (status: number) => requests.filter((r: Logged) => r.status === status).length
    expect([withStatus(200), withStatus(404), withStatus(500)]).toEqual([10, 10, 1])
  })

  it.concurrent('of each project the newest errors and the newest other requests are kept', async () => {
    const site = await newSite(server())
    const access = await madeUp(site)
    const recorder = newRecorder({ burst: 1000, keep: 20 })
    const now = server().clock.now()
    recorder.add(access({ at: now, status: 503 }))
    for (let i = 1; i < 600; i++) recorder.add(access({ at: now + i, target: `/${i}` }))
    await recorder.write()
    const { requests } = await read(server(), site, '?limit=100')
    expect(requests).toHaveLength(21)
    expect([requests[0].path, requests[19].path, requests[20].status]).toEqual(['/599', '/580', 503])
  })

  it.concurrent('requests of a deleted project are dropped, and those of others are written', async () => {
    const site = await newSite(server())
    const access = await madeUp(site)
    const recorder = newRecorder()
    recorder.add(access({ projectId: 'prj_gone' }))
    recorder.add(access({}))
    await recorder.write()
    expect((await read(server(), site)).requests).toHaveLength(1)
  })

  it.concurrent('a request is deleted after three days', async () => {
    const site = await newSite(server())
    const access = await madeUp(site)
    const recorder = newRecorder()
    const now = server().clock.now()
    for (const days of [0, 2.9, 3.1])
      recorder.add(access({ at: now - days * 86_400_000, target: `/${days}` }))
    await recorder.write()
    await forgetOldRequests(server().running.platform)
    expect((await read(server(), site)).requests.map((r: Logged) => r.path)).toEqual(['/0', '/2.9'])
  })

  it.concurrent('a query that is not valid is refused', async () => {
    const site = await newSite(server())
    const long = `path=${'a'.repeat(600)}`
    const hosts = ['host=', 'host=a/b', 'host=a%25', `host=${'a'.repeat(254)}`]
    const methods = ['method=', 'method=G%20T', `method=${'A'.repeat(17)}`]
    const statuses = ['status=', 'status=6xx', 'status=40', 'status=00', 'status=4xx,5xx']
    const others = ['since=noon', 'limit=0', 'cursor=x', long]
    for (const query of [...statuses, ...methods, ...hosts, ...others]) {
      const answer = await send(server(), `GET /projects/${site.name}/requests?${query}`, site)
      expect([query, refusal(answer)]).toEqual([query, '400 invalid_request'])
    }
  })

  it.concurrent('nobody else sees the requests of a project', async () => {
    const site = await newSite(server())
    const { token } = await server().account()
    expect(refusal(await send(server(), `GET /projects/${site.name}/requests`, { token }))).toBe(
      '404 not_found',
    )
  })
})

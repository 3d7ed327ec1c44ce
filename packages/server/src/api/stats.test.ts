import { randomBytes } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { archiveOf } from '../testing/archives.ts'
import { eventually } from '../testing/eventually.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer, type TestServer } from '../testing/server.ts'
import { setPassword } from '../testing/sites.ts'
import { type CountedSite, hour, newCountedSite, setToNoon } from '../testing/stats.ts'

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'

const statsOf = async (server: TestServer, site: CountedSite, path = '') =>
  (await send(server, `GET /projects/${site.name}/stats${path}`, site)).json

/** Waits until so many requests have shown up. */
async function counted(server: TestServer, site: CountedSite, requests: number, hours = 72) {
  await eventually(async () => (await statsOf(server, site, `?hours=${hours}`)).totals.requests >= requests)
  return await statsOf(server, site, `?hours=${hours}`)
}

onEveryServer(server => {
  beforeAll(() => setToNoon(server().clock))

  const visit = (site: CountedSite, path = '/', headers: Record<string, string> = {}) =>
    server().site(site.name, path, { headers: { 'user-agent': browser, ...headers } })

  it.concurrent('the platform counts what a site answers, by status, cache result, host and path', async () => {
    const site = await newCountedSite(server(), { 'style.css': 'p{}', 'old.html': 'old' })
    await visit(site)
    await visit(site)
    await visit(site, '/style.css?v=1')
    await visit(site, '/old/')
    await visit(site, '/missing')
    await server().site(site.name, '/', { method: 'POST' })
    await server().site(site.name, '/style.css', { method: 'HEAD' })
    const stats = await counted(server(), site, 7, 24)
    expect(stats).toMatchObject({
      project: site.name,
      status: { '2xx': 4, '3xx': 1, '4xx': 2, '5xx': 0, other: 0 },
      hostnames: [{ hostname: `${site.name}.localhost`, requests: 7 }],
      top_countries: [{ country: 'XX', requests: 7 }],
      truncated: false,
    })
    expect(stats.totals.requests).toBe(7)
    expect(stats.cache.HIT + stats.cache.MISS + stats.cache.NONE).toBe(7)
    expect(stats.totals.cache_hits).toBe(stats.cache.HIT)
    const paths = Object.fromEntries(stats.top_paths.map((row: { path: string }) => [row.path, row]))
    expect(paths['/']).toMatchObject({ requests: 3 })
    expect(paths['/style.css']).toEqual({ path: '/style.css', requests: 2, bytes: 'p{}'.length })
    expect(paths['/missing']).toMatchObject({ requests: 1 })
  })

  it.concurrent('the stats have an entry for every hour that was asked for, up to the current one', async () => {
    const site = await newCountedSite(server())
    await visit(site)
    await counted(server(), site, 1)
    for (const [query, hours] of [
      ['', 24],
      ['?hours=1', 1],
      ['?hours=72', 72],
    ] as const) {
      const { timeline, from, to, totals } = await statsOf(server(), site, query)
      expect(timeline).toHaveLength(hours)
      expect(timeline[0].hour).toBe(from)
      expect(Date.parse(to) - Date.parse(timeline.at(-1).hour)).toBeLessThan(hour)
      for (const [i, row] of timeline.entries())
        expect(Date.parse(row.hour)).toBe(Date.parse(from) + i * hour)
      expect(timeline.reduce((sum: number, row: { requests: number }) => sum + row.requests, 0)).toBe(1)
      expect(totals).toEqual({ requests: 1, bytes: 4, cache_hits: expect.any(Number) })
    }
  })

  it.concurrent('the stats count each host of a project separately', async () => {
    const site = await newCountedSite(server())
    const domain = `www.${site.name}.example`
    await send(server(), `POST /projects/${site.name}/domains`, site, { domain })
    await server().upload(site.token, site.name, archiveOf({ 'index.html': 'next' }), '?branch=next')
    for (const host of [domain, `${domain.toUpperCase()}.:80`, `next--${site.name}.localhost`])
      expect((await server().request('/', { host })).status).toBe(200)
    const { hostnames } = await counted(server(), site, 3)
    expect(hostnames).toEqual([
      { hostname: domain, requests: 2, bytes: 8 },
      { hostname: `next--${site.name}.localhost`, requests: 1, bytes: 4 },
    ])
  })

  it.concurrent('the platform counts pageviews and visitors, but no bots, prefetches, files or missing pages', async () => {
    const site = await newCountedSite(server(), { 'about.html': 'about', 'style.css': 'p{}' })
    const first = await visit(site, '/?utm=1', { referer: 'https://www.news.example/item?id=1' })
    await visit(site, '/', { 'if-none-match': String(first.headers.etag) })
    await visit(site, '/about', { referer: `http://${site.name}.localhost/` })
    await visit(site, '/about', { 'user-agent': `${browser} Other/1`, referer: 'https://news.example/' })
    await visit(site, '/style.css')
    await visit(site, '/missing')
    await visit(site, '/', { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' })
    await visit(site, '/', { 'sec-purpose': 'prefetch;prerender' })
    await visit(site, '/', { purpose: 'prefetch' })
    await server().site(site.name, '/', { method: 'HEAD', headers: { 'user-agent': browser } })
    await counted(server(), site, 10)
    const audience = await statsOf(server(), site, '/audience')
    const today = new Date(server().clock.now()).toISOString().slice(0, 10)
    expect(audience).toMatchObject({ project: site.name, to: today, days: 30, totals: { pageviews: 4 } })
    expect(audience.timeline).toHaveLength(30)
    expect(audience.timeline.at(-1)).toEqual({ day: today, pageviews: 4, visitors: 2 })
    expect(audience.top_pages).toEqual([
      { path: '/', views: 2 },
      { path: '/about', views: 2 },
    ])
    expect(audience.top_referrers).toEqual([{ referrer: 'news.example', views: 2 }])
    expect(audience.top_countries).toEqual([{ country: 'XX', views: 4 }])
    expect(audience.totals).not.toHaveProperty('visitors')
  })

  it.concurrent('the platform counts requests with any User-Agent and any Referer', async () => {
    const site = await newCountedSite(server())
    await visit(site, `/${'p'.repeat(6_000)}`)
    // The referrer is random, because databases compress repeated text.
    await visit(site, '/', { referer: `https://${randomBytes(3_500).toString('hex')}/` })
    await visit(site, '/', { 'user-agent': `${browser} ${'u'.repeat(7_000)}` })
    await visit(site, '/', { 'user-agent': `${browser} \u00ff\u0080`, referer: 'https://\u00ff\u0080' })
    const { totals } = await counted(server(), site, 4)
    expect(totals.requests).toBe(4)
    expect(await statsOf(server(), site, '/audience')).toMatchObject({
      totals: { pageviews: 3 },
      top_referrers: [],
    })
  })

  it.concurrent('the platform sums hours up to days', async () => {
    const site = await newCountedSite(server())
    await visit(site)
    await visit(site)
    await counted(server(), site, 2)
    const today = new Date(server().clock.now()).toISOString().slice(0, 10)
    const history = await statsOf(server(), site, '/history?days=3')
    expect(history).toMatchObject({ to: today, days: 3, totals: { requests: 2, bytes: 8 } })
    expect(history.timeline.map((row: { requests: number }) => row.requests)).toEqual([0, 0, 2])
    const between = await statsOf(server(), site, '/history?from=2024-02-28&to=2024-03-01')
    expect(between).toMatchObject({ from: '2024-02-28', to: '2024-03-01', days: 3, totals: { requests: 0 } })
    expect(between.timeline.map((row: { day: string }) => row.day)).toEqual([
      '2024-02-28',
      '2024-02-29',
      '2024-03-01',
    ])
    expect((await statsOf(server(), site, `/history?from=${today}&to=${today}`)).totals.requests).toBe(2)
  })

  it.concurrent('the API refuses ranges that are not valid', async () => {
    const site = await newCountedSite(server())
    for (const query of [
      '?hours=0',
      '?hours=73',
      '?hours=1.5',
      '?hours=x',
      '/history?days=0',
      '/history?days=366',
      '/history?days=1e1',
      '/history?from=2026-01-01',
      '/history?to=2026-01-01',
      '/history?days=3&from=2026-01-01&to=2026-01-02',
      '/history?from=2026-01-02&to=2026-01-01',
      '/history?from=2025-01-01&to=2026-01-01',
      '/audience?from=2026-02-30&to=2026-03-01',
      '/audience?from=yesterday&to=today',
      '/audience?days=-1',
    ]) {
      const answer = await send(server(), `GET /projects/${site.name}/stats${query}`, site)
      expect([query, refusal(answer)]).toEqual([query, '400 invalid_request'])
    }
  })

  it.concurrent('a range may be a whole year', async () => {
    const site = await newCountedSite(server())
    expect((await statsOf(server(), site, '/history?days=365')).timeline).toHaveLength(365)
    const year = '/audience?from=2025-01-01&to=2025-12-31'
    expect((await statsOf(server(), site, year)).days).toBe(365)
  })

  it.concurrent('the API shows stats to the accounts that may see the project', async () => {
    const site = await newCountedSite(server())
    const stranger = await server().account()
    for (const path of ['', '/history', '/audience'])
      expect(refusal(await send(server(), `GET /projects/${site.name}/stats${path}`, stranger))).toBe(
        '404 not_found',
      )
  })

  it.concurrent('the platform counts requests that a protected site refuses, but not as pageviews', async () => {
    const site = await newCountedSite(server())
    await setPassword(server(), site.token, site.name, 'open sesame')
    expect((await visit(site)).status).toBe(401)
    expect((await counted(server(), site, 1)).status['4xx']).toBe(1)
    expect((await statsOf(server(), site, '/audience')).totals.pageviews).toBe(0)
  })
})

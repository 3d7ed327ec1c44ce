import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Role, startPlatform } from '../compose.ts'
import { readSettings } from '../config.ts'
import { sweep } from '../core/platform/sweep.ts'
import { Counter } from '../core/stats/counter.ts'
import { Recorder } from '../core/stats/recorder.ts'
import type { Tally } from '../core/stats/tally.ts'
import type { Store } from '../store/store.ts'
import { eventually } from '../testing/eventually.ts'
import { submitJson } from '../testing/forms.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'
import { type CountedSite, day, hour, newCountedSite, setToNoon } from '../testing/stats.ts'
import { audienceByHand, historyByHand, liveStatsByHand, madeUpTraffic } from '../testing/traffic.ts'

const browser = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
}
const tables = ['stats_hours', 'stats_names', 'stats_visitors'] as const

const statsOf = async (server: TestServer, site: CountedSite, path = '') =>
  (await send(server, `GET /projects/${site.name}/stats${path}`, site)).json

const counted = (server: TestServer, site: CountedSite, requests: number) =>
  eventually(async () => (await statsOf(server, site)).totals.requests >= requests)

/** Writes counts as an edge does. */
async function write(server: TestServer, fill: (tally: Tally) => void): Promise<void> {
  const recorder = recorderOf(server)
  fill(recorder.tally)
  await recorder.write()
}

const recorderOf = (server: TestServer): Recorder =>
  new Recorder(server.running.platform.store, requests => expect.fail(`${requests} lost`))

/** A counter that trusts the country header of requests. */
const counterOf = (): Counter =>
  new Counter({
    geo: { country: async () => undefined, close: () => undefined },
    saltOf: async day => `salt of ${day}`,
    isTrusted: () => true,
    countryHeader: 'x-country',
  })

onEveryServer(server => {
  beforeAll(() => setToNoon(server().clock))

  /** Starts another edge on the same database. */
  async function startEdge() {
    const settings = readSettings({ ...server().environment, SVCD_PORT: '0' })
    const roles: Role[] = ['edge']
    const log = pino({ level: 'silent' })
    const edge = await startPlatform(settings, { log, roles, clock: server().clock })
    return {
      stop: () => edge.stop(),
      async visit(site: CountedSite): Promise<void> {
        const url = `http://127.0.0.1:${edge.port}/`
        const { request } = await import('node:http')
        await new Promise((resolve, reject) => {
          const headers = { host: `${site.name}.localhost`, ...browser }
          request(url, { headers, agent: false }, res => res.resume().on('end', resolve))
            .on('error', reject)
            .end()
        })
      },
    }
  }

  const rowsOf = async (site: CountedSite) => {
    const { db } = server().running.platform.store
    const counts = tables.map(async table => {
      const rows = await db.selectFrom(table).select('project_id').where('project_id', '=', site.id).execute()
      return rows.length
    })
    return await Promise.all(counts)
  }

  it('the platform counts the traffic of every edge, a visitor of several once, and loses nothing when one stops', async () => {
    const site = await newCountedSite(server())
    const edge = await startEdge()
    await edge.visit(site)
    await edge.visit(site)
    // The edge stores all its counts before it has stopped.
    await edge.stop()
    expect((await statsOf(server(), site)).totals.requests).toBe(2)
    await server().site(site.name, '/', { headers: browser })
    await counted(server(), site, 3)
    expect((await statsOf(server(), site, '/audience')).timeline.at(-1)).toMatchObject({
      pageviews: 3,
      visitors: 1,
    })
  })

  it('the platform forgets a project with all its stats, and counts on for the others', async () => {
    const [gone, stays] = [await newCountedSite(server()), await newCountedSite(server())]
    for (const { name } of [gone, stays]) await server().site(name, '/', { headers: browser })
    await counted(server(), gone, 1)
    expect((await rowsOf(gone)).every(rows => rows > 0)).toBe(true)
    for (const { name } of [gone, stays]) await server().site(name, '/', { headers: browser })
    await send(server(), `DELETE /projects/${gone.name}`, gone)
    await counted(server(), stays, 2)
    expect(await rowsOf(gone)).toEqual([0, 0, 0])
  })

  it('the platform calls a window a sample when it had more than 50,000 requests, or when some were lost', async () => {
    const [busy, edge, flooded] = [
      await newCountedSite(server()),
      await newCountedSite(server()),
      await newCountedSite(server()),
    ]
    const now = server().clock.now()
    const start = now - (now % hour)
    await write(server(), tally => {
      tally.hour(busy.id, start).row.requests = 50_001
      tally.hour(edge.id, start).row.requests = 50_000
      tally.hour(flooded.id, start).row.lost = 1
    })
    expect(await statsOf(server(), busy)).toMatchObject({ truncated: true, totals: { requests: 50_001 } })
    expect(await statsOf(server(), edge)).toMatchObject({ truncated: false, totals: { requests: 50_000 } })
    expect(await statsOf(server(), flooded)).toMatchObject({ truncated: true, totals: { requests: 0 } })
  })

  it('the platform keeps complete lists up to 50,000 requests, and correct top entries beyond that', async () => {
    const site = await newCountedSite(server())
    const now = server().clock.now()
    const start = now - (now % hour)
    const recorder = recorderOf(server())
    const scan = async (round: number, since: number) => {
      const { row, lists } = recorder.tally.hour(site.id, since)
      row.requests += 650
      for (let i = 0; i < 600; i++) lists.add('path', `/scan-${round}-${i}`, 1, 1)
      lists.add('path', '/popular', 50, 500)
      await recorder.write()
    }
    for (const [round, since] of [start - hour, start - hour, start, start].entries())
      await scan(round, since)
    const [, whole] = await rowsOf(site)
    expect(whole).toBe(4 * 600 + 2)
    expect((await statsOf(server(), site)).top_paths[0]).toEqual({
      path: '/popular',
      requests: 200,
      bytes: 2000,
    })

    recorder.tally.hour(site.id, start).row.requests += 50_000
    for (const round of [4, 5]) await scan(round, start)
    const { top_paths, truncated } = await statsOf(server(), site)
    expect(truncated).toBe(true)
    expect(top_paths[0]).toEqual({ path: '/popular', requests: 300, bytes: 3000 })
    expect(top_paths).toHaveLength(10)
    const [, cut] = await rowsOf(site)
    expect(cut).toBeLessThanOrEqual(2 * 200)
  })

  it('the stats are the same as those calculated from every single request', async () => {
    const site = await newCountedSite(server())
    const now = server().clock.now()
    const all = madeUpTraffic(site.id, now, 1_500, 4711)
    // Two edges write their counts in turns.
    const edges = [0, 1].map(() => ({ counter: counterOf(), recorder: recorderOf(server()) }))
    for (let at = 0; at < all.length; at += 250) {
      const { counter, recorder } = edges[(at / 250) % 2]!
      const count = await counter.read(all.slice(at, at + 250))
      count(recorder.tally)
      await recorder.write()
    }
    for (const hours of [1, 5, 24, 72])
      expect(await statsOf(server(), site, `?hours=${hours}`)).toMatchObject(liveStatsByHand(all, now, hours))
    for (const days of [1, 3, 30]) {
      expect(await statsOf(server(), site, `/history?days=${days}`)).toMatchObject(
        historyByHand(all, now, days),
      )
      expect(await statsOf(server(), site, `/audience?days=${days}`)).toMatchObject(
        audienceByHand(all, now, days),
      )
    }
  })

  it('the platform counts while the database refuses writes, and stores everything afterwards', async () => {
    const site = await newCountedSite(server())
    const { store } = server().running.platform
    const now = server().clock.now()
    const start = now - (now % hour)
    let isAway = true
    const away = () => Promise.reject(new Error('the database is away'))
    const flaky = {
      ...store,
      transact: (work: never) => (isAway ? away() : store.transact(work)),
      check: () => (isAway ? away() : store.check()),
    } as Store
    const recorder = new Recorder(flaky, requests => expect.fail(`${requests} lost`))
    for (let round = 0; round < 3; round++) {
      const { row, lists } = recorder.tally.hour(site.id, start)
      row.requests += 2
      lists.add('path', '/', 1)
      lists.add('path', `/${round}`, 1)
      await expect(recorder.write()).rejects.toThrow('away')
    }
    isAway = false
    await recorder.write()
    expect(recorder.tally.isEmpty).toBe(true)
    const { totals, top_paths } = await statsOf(server(), site)
    expect([totals.requests, top_paths.length, top_paths[0].requests]).toEqual([6, 4, 3])
  })

  it('the platform stores all other rows if the database refuses one', async () => {
    const site = await newCountedSite(server())
    const now = server().clock.now()
    const start = now - (now % hour)
    await write(server(), tally => {
      const { row, lists } = tally.hour(site.id, start)
      row.requests = 3
      lists.add('path', '/good', 2)
      lists.add('path', '/bad', Number.NaN)
      lists.add('path', '/next', 1)
    })
    const { totals, top_paths } = await statsOf(server(), site)
    expect(totals.requests).toBe(3)
    expect(top_paths.map(({ path }: { path: string }) => path)).toEqual(['/good', '/next'])
  })

  it('the platform forgets who visited at the end of the day, lists after 72 hours, and totals after 400 days', async () => {
    const site = await newCountedSite(server())
    const { clock, running } = server()
    const { db } = running.platform.store
    await server().site(site.name, '/', { headers: browser })
    await counted(server(), site, 1)
    const saltRows = () => db.selectFrom('stats_salts').selectAll().execute()
    const salts = async () => (await saltRows()).length
    await sweep(running.platform)
    expect([await salts(), ...(await rowsOf(site))]).toEqual([1, 1, expect.any(Number), 1])
    const [{ salt } = { salt: '' }] = await saltRows()

    clock.advance(day)
    await sweep(running.platform)
    expect([await salts(), (await rowsOf(site))[2]]).toEqual([0, 0])
    if (running.platform.store.engine === 'sqlite') {
      await sql`pragma wal_checkpoint(truncate)`.execute(db)
      expect((await readFile(path.join(server().dataDir, 'svc.db'))).includes(salt)).toBe(false)
    }
    expect((await statsOf(server(), site, '/audience')).timeline.at(-2)).toMatchObject({ visitors: 1 })
    expect((await statsOf(server(), site, '?hours=72')).top_paths).toHaveLength(1)

    clock.advance(2 * day)
    await sweep(running.platform)
    expect((await statsOf(server(), site, '?hours=72')).top_paths).toEqual([])
    const kinds = await db
      .selectFrom('stats_names')
      .select('kind')
      .where('project_id', '=', site.id)
      .execute()
    expect(kinds.every(({ kind }) => kind.startsWith('view '))).toBe(true)

    clock.advance(396 * day)
    await sweep(running.platform)
    expect((await rowsOf(site)).slice(0, 2)).toEqual([1, expect.any(Number)])
    clock.advance(2 * day)
    await sweep(running.platform)
    expect(await rowsOf(site)).toEqual([0, 0, 0])
  })
})

describe('a platform', () => {
  async function start(environment: Record<string, string>) {
    const server = await TestServer.start('sqlite', environment)
    onTestFinished(server.remove)
    return server
  }

  it('without analytics counts nothing, and says that there are no live stats', async () => {
    const server = await start({ SVCD_ANALYTICS: 'off' })
    const site = await newCountedSite(server)
    await server.site(site.name, '/', { headers: browser })
    expect(refusal(await send(server, `GET /projects/${site.name}/stats`, site))).toBe(
      '503 stats_unavailable',
    )
    expect((await statsOf(server, site, '/history')).totals.requests).toBe(0)
    expect((await statsOf(server, site, '/audience')).totals.pageviews).toBe(0)
  })

  it('behind a proxy knows the countries of those behind it', async () => {
    const server = await start({ SVCD_TRUST_PROXY: '127.0.0.1', SVCD_COUNTRY_HEADER: 'CF-IPCountry' })
    const site = await newCountedSite(server)
    const forwarded = { ...browser, 'x-forwarded-for': '193.0.6.139' }
    await server.site(site.name, '/', { headers: forwarded })
    await server.site(site.name, '/', { headers: forwarded })
    await server.site(site.name, '/', { headers: { ...forwarded, 'cf-ipcountry': 'BE' } })
    await submitJson(server, site.name, 'contact', {}, { ...forwarded, 'cf-ipcountry': 'BE' })
    await submitJson(server, site.name, 'contact', {}, { ...forwarded, 'cf-ipcountry': 'nonsense' })
    await counted(server, site, 5)
    expect((await statsOf(server, site)).top_countries).toEqual([
      { country: 'NL', requests: 3 },
      { country: 'BE', requests: 2 },
    ])
    const { json } = await send(server, `GET /projects/${site.name}/forms/contact/submissions`, site)
    expect(json.submissions.map(({ country }: { country: string }) => country).sort()).toEqual(['BE', 'NL'])
  })

  it('whose log cannot be queried says so', async () => {
    const server = await start({ SVCD_LOG_LEVEL: 'silent' })
    const site = await newCountedSite(server)
    await server.running.platform.store.db.schema.dropTable('stats_names').execute()
    expect(refusal(await send(server, `GET /projects/${site.name}/stats`, site))).toBe('502 cdn_error')
  })
})

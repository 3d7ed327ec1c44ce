import { beforeAll, expect, it } from 'vitest'
import { hourOf } from '../core/base/periods.ts'
import { Recorder } from '../core/stats/recorder.ts'
import type { StatsHourRow } from '../store/tables.ts'
import { eventually } from '../testing/eventually.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { setPassword } from '../testing/sites.ts'
import { type CountedSite, day, hour, laptop, newCountedSite, phone, setToNoon } from '../testing/stats.ts'

const noTraffic = { visitors: 0, pageviews: 0, requests: 0, bytes: 0, cache_hits: 0, errors: 0 }

onEveryServer(server => {
  beforeAll(() => setToNoon(server().clock))

  const newSite = () => newCountedSite(server())

  const read = async (site: CountedSite, query = '', path = 'summary') =>
    (await send(server(), `GET /projects/${site.name}/stats/${path}${query}`, site)).json

  const now = () => server().clock.now()
  const hoursAgo = (count: number) => hourOf(now()) - count * hour

  /** Adds counts to the hour that began so many hours ago, as an edge does. */
  async function add(site: CountedSite, ago: number, counts: Partial<StatsHourRow>): Promise<void> {
    const { store } = server().running.platform
    const recorder = new Recorder(store, requests => expect.fail(`${requests} lost`))
    Object.assign(recorder.tally.hour(site.id, hoursAgo(ago)).row, counts)
    await recorder.write()
  }

  it.concurrent('only answers with 5xx are errors', async () => {
    const site = await newSite()
    const statuses = { status_2xx: 5, status_3xx: 4, status_4xx: 3, status_5xx: 2, status_other: 1 }
    await add(site, 0, { requests: 15, ...statuses })
    for (const query of ['?hours=24', '?days=1', '']) {
      const { totals, status, timeline } = await read(site, query)
      expect([query, totals]).toEqual([query, { ...noTraffic, requests: 15, errors: 2 }])
      expect(status).toEqual({ '2xx': 5, '3xx': 4, '4xx': 3, '5xx': 2, other: 1 })
      expect(timeline.at(-1)).toMatchObject({ requests: 15, errors: 2 })
    }
  })

  it.concurrent('a missing page and the page of the password gate are no errors', async () => {
    const site = await newSite()
    await server().site(site.name, '/missing')
    await setPassword(server(), site.token, site.name, 'open sesame')
    expect((await server().site(site.name, '/')).status).toBe(401)
    await eventually(async () => (await read(site)).totals.requests === 2)
    const { totals, status } = await read(site)
    expect([totals.errors, status['4xx'], status['5xx']]).toEqual([0, 2, 0])
  })

  it.concurrent('the summary has an entry for every hour or day, up to the present one', async () => {
    const site = await newSite()
    await add(site, 0, { requests: 1, bytes: 10, cache_hits: 1, pageviews: 1, visitors: 1 })
    await add(site, 24, { requests: 2, pageviews: 2, visitors: 2 })
    const counts = { visitors: 1, pageviews: 1, requests: 1, bytes: 10, cache_hits: 1, errors: 0 }

    const hours = await read(site, '?hours=24')
    expect(hours).toMatchObject({ project: site.name, per: 'hour', totals: counts })
    expect(hours.timeline).toHaveLength(24)
    expect(hours.timeline.at(-1)).toEqual({ at: new Date(hoursAgo(0)).toISOString(), ...counts })
    expect(hours.timeline[0]).toEqual({ at: hours.from, ...noTraffic })
    expect(Date.parse(hours.to)).toBeGreaterThan(hoursAgo(0))

    const days = await read(site, '?days=7')
    expect(days).toMatchObject({ per: 'day', totals: { visitors: 3, pageviews: 3, requests: 3 } })
    expect(days.timeline.map((row: { visitors: number }) => row.visitors)).toEqual([0, 0, 0, 0, 0, 2, 1])
    const today = new Date(now()).toISOString().slice(0, 10)
    expect((await read(site, `?from=${today}&to=${today}`)).totals).toEqual(counts)
    expect((await read(site)).timeline).toHaveLength(30)
  })

  it.concurrent('the period before ends at the same hour', async () => {
    const site = await newSite()
    const ago = { now: 0, sameHour: 7 * 24, hourAfter: 7 * 24 - 1, hourBefore: 7 * 24 + 1, long: 15 * 24 }
    await add(site, ago.now, { requests: 10, status_5xx: 4, visitors: 3, pageviews: 5 })
    await add(site, ago.sameHour, { requests: 2, status_5xx: 1 })
    await add(site, ago.hourBefore, { requests: 3, bytes: 7, cache_hits: 2, visitors: 1, pageviews: 2 })
    await add(site, ago.hourAfter, { requests: 100 })
    await add(site, ago.long, { requests: 1000 })
    expect((await read(site, '?days=7')).previous).toEqual({
      ...{ visitors: 1, pageviews: 2, requests: 5, bytes: 7, cache_hits: 2, errors: 1 },
    })
    // The hour after noon, a week ago, is in neither of the two.
    expect((await read(site, '?days=7')).totals).toMatchObject({ requests: 10, errors: 4 })
  })

  it.concurrent('the period before a past one is all of it, and is null when its counts are not kept', async () => {
    const site = await newSite()
    const date = (daysAgo: number) => new Date(now() - daysAgo * day).toISOString().slice(0, 10)
    await add(site, 3 * 24 + 12, { requests: 1 })
    await add(site, 3 * 24 - 11, { requests: 2 })
    expect((await read(site, `?from=${date(2)}&to=${date(2)}`)).previous.requests).toBe(3)
    expect((await read(site, '?days=200')).previous).toMatchObject({ requests: 0 })
    expect((await read(site, '?days=201')).previous).toBe(null)
  })

  it.concurrent('pageviews are counted by families of browsers, devices and systems', async () => {
    const site = await newSite()
    const agents = [
      phone,
      phone,
      laptop,
      `Mozilla/5.0 (Amiga; AmigaOS 4.1) Aweb/${site.id}`,
      'Mozilla/5.0 (compatible; Googlebot/2.1)',
    ]
    for (const agent of agents) await server().site(site.name, '/', { headers: { 'user-agent': agent } })
    await eventually(async () => (await read(site)).totals.requests === agents.length)
    const audience = await read(site, '', 'audience')
    expect(audience).toMatchObject({
      top_browsers: [
        { browser: 'Safari', views: 2 },
        { browser: 'Firefox', views: 1 },
        { browser: 'Other', views: 1 },
      ],
      top_devices: [
        { device: 'Mobile', views: 2 },
        { device: 'Desktop', views: 1 },
        { device: 'Other', views: 1 },
      ],
      top_systems: [
        { system: 'iOS', views: 2 },
        { system: 'Linux', views: 1 },
        { system: 'Other', views: 1 },
      ],
    })
    expect(JSON.stringify(audience)).not.toContain('Amiga')
  })

  it.concurrent('the API refuses periods that are not valid, and callers who may not see the project', async () => {
    const site = await newSite()
    const path = `GET /projects/${site.name}/stats/summary` as const
    for (const query of [
      'hours=0',
      'hours=73',
      'hours=1.5',
      'hours=',
      'days=366',
      'hours=3&days=3',
      'from=2026-01-01',
    ])
      expect([query, refusal(await send(server(), `${path}?${query}`, site))]).toEqual([
        query,
        '400 invalid_request',
      ])
    expect(refusal(await send(server(), path, await server().account()))).toBe('404 not_found')
  })
})

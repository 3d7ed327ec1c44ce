// The pageviews of one page, referrer, country, browser, device or operating system.
import { beforeAll, expect, it } from 'vitest'
import { Recorder } from '../core/stats/recorder.ts'
import { eventually } from '../testing/eventually.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { type CountedSite, hour, laptop, newCountedSite, phone, setToNoon } from '../testing/stats.ts'

onEveryServer(server => {
  beforeAll(() => setToNoon(server().clock))

  const newSite = () => newCountedSite(server(), { 'menu.html': 'menu' })

  const breakdown = async (site: CountedSite, query = '') =>
    (await send(server(), `GET /projects/${site.name}/stats/breakdown${query}`, site)).json

  const visit = (site: CountedSite, path: string, userAgent: string, referer = '') =>
    server().site(site.name, path, { headers: { 'user-agent': userAgent, ...(referer && { referer }) } })

  it.concurrent('filters choose pageviews, one by one and together', async () => {
    const site = await newSite()
    await visit(site, '/', laptop, 'https://www.news.example/item')
    await visit(site, '/', phone)
    await visit(site, '/menu', phone, 'https://news.example/')
    await eventually(async () => (await breakdown(site)).totals.pageviews === 3)

    const all = await breakdown(site)
    expect(all).toMatchObject({ project: site.name, days: 30, complete: true })
    expect(all.timeline).toHaveLength(30)
    expect(all.top_pages).toEqual([
      { path: '/', views: 2 },
      { path: '/menu', views: 1 },
    ])

    const ofPhones = await breakdown(site, '?device=Mobile&days=7')
    expect(ofPhones.totals).toEqual({ pageviews: 2 })
    expect(ofPhones.timeline.at(-1).pageviews).toBe(2)
    expect(ofPhones.top_browsers).toEqual([{ browser: 'Safari', views: 2 }])
    expect(ofPhones.top_referrers).toEqual([{ referrer: 'news.example', views: 1 }])

    const together = await breakdown(site, '?page=/&referrer=news.example&country=XX')
    expect(together.totals).toEqual({ pageviews: 1 })
    expect(together.top_systems).toEqual([{ system: 'Linux', views: 1 }])
    expect((await breakdown(site, '?page=/&referrer=')).top_devices).toEqual([{ device: 'Mobile', views: 1 }])
    expect((await breakdown(site, '?browser=Lynx')).totals).toEqual({ pageviews: 0 })
  })

  it.concurrent('a breakdown says if it does not know of all pageviews', async () => {
    const site = await newSite()
    const recorder = new Recorder(server().running.platform.store, lost => expect.fail(`${lost} lost`))
    const now = server().clock.now()
    recorder.tally.hour(site.id, now - (now % hour)).row.pageviews += 5
    await recorder.write()
    expect(await breakdown(site)).toMatchObject({ totals: { pageviews: 0 }, complete: false })
  })

  it.concurrent('a breakdown spans at most 90 days, and belongs to the members of the project', async () => {
    const site = await newSite()
    expect((await breakdown(site, '?days=90')).timeline).toHaveLength(90)
    const path = `GET /projects/${site.name}/stats/breakdown` as const
    for (const query of ['days=91', 'days=0', 'from=2026-01-01', `page=${'p'.repeat(513)}`])
      expect([query, refusal(await send(server(), `${path}?${query}`, site))]).toEqual([
        query,
        '400 invalid_request',
      ])
    expect(refusal(await send(server(), path, await server().account()))).toBe('404 not_found')
  })
})

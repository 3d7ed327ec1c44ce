// The pageviews of one page, referrer, country, browser, device or operating system.
import { beforeAll, expect, it } from 'vitest'
import { Recorder } from '../core/stats/recorder.ts'
import { eventually } from '../testing/eventually.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

const hour = 3_600_000
const day = 24 * hour
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1'
const laptop = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

onEveryServer(server => {
  // The clock is set to half past noon, so that no hour and no day ends during a test.
  beforeAll(() => {
    const { clock } = server()
    clock.advance(day + 12.5 * hour - (clock.now() % day))
  })

  async function newSite() {
    const { token } = await server().account()
    const name = await deploySite(server(), token, { 'index.html': 'home', 'menu.html': 'menu' })
    const { id } = (await send(server(), `GET /projects/${name}`, { token })).json
    return { token, name, id: String(id) }
  }
  type Site = Awaited<ReturnType<typeof newSite>>

  const breakdown = async (site: Site, query = '') =>
    (await send(server(), `GET /projects/${site.name}/stats/breakdown${query}`, site)).json

  const visit = (site: Site, path: string, userAgent: string, referer = '') =>
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

// Traffic and audience, from a visit to the chart.
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { expect, test } from 'vitest'
import { useDashboard, visit } from './dashboard.ts'
import { nameless } from './sanity.ts'

const dashboard = useDashboard()

/** The browser of the tests says that it is a program. */
const person = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

test('visits show up by themselves, by hours and by days', async () => {
  const owner = await dashboard.platform.owner()
  const project = await dashboard.platform.project(owner, '<title>Hello</title>hello')
  const page = await dashboard.openAs(owner, `/projects/${project.name}/analytics?range=24h`)
  await page.getByRole('heading', { name: 'No requests in the last 24 hours' }).waitFor()

  await page.context().setExtraHTTPHeaders(person)
  expect(await visit(page, project.url)).toContain('hello')
  expect(await visit(page, `${project.url}/missing`)).toContain('Page not found')

  const paths = page.getByRole('region', { name: 'Top paths' })
  await paths.getByText('/missing').waitFor()
  await page.getByRole('button', { name: /^Requests/ }).click()
  const chart = page.getByRole('figure').filter({ hasText: 'Requests per hour' })
  await expect.poll(() => chart.getByRole('row').count()).toBe(25)
  expect(await page.getByRole('region', { name: 'Answers by status' }).textContent()).toContain('4xx')
  expect(await page.getByRole('link', { name: 'IP Geolocation by DB-IP' }).getAttribute('href')).toBe(
    'https://db-ip.com',
  )
  expect(await page.evaluate(nameless)).toEqual([])

  await page.getByRole('navigation', { name: 'Time range' }).getByRole('link', { name: '7 days' }).click()
  const pages = page.getByRole('region', { name: 'Top pages' })
  await pages.getByRole('listitem').waitFor()
  expect(await pages.getByRole('listitem').textContent()).toBe('/1 views')
  expect(new URL(page.url()).search).toBe('?metric=requests')
  await page.reload()
  await page.getByRole('img', { name: 'Requests per day' }).waitFor()
  for (const [list, name] of [
    ['Devices', 'Desktop'],
    ['Browsers', 'Firefox'],
    ['Operating systems', 'Linux'],
  ])
    await page.getByRole('region', { name: list }).getByText(name!).waitFor()
})

test('a press on a row filters by it, and a press on the filter takes it off', async () => {
  const owner = await dashboard.platform.owner()
  const project = await dashboard.platform.project(owner, '<title>Hello</title>hello')
  const page = await dashboard.openAs(owner, `/projects/${project.name}/analytics`)
  await page.context().setExtraHTTPHeaders(person)
  await visit(page, project.url)
  const params = { name: project.name }
  const call = dashboard.platform.client(owner.token)
  await eventually(
    async () => (await call('GET /projects/:name/stats/breakdown', { params })).totals.pageviews === 1,
  )
  await page.reload()

  await page.getByRole('region', { name: 'Browsers' }).getByRole('link', { name: 'Firefox' }).click()
  await page.getByRole('heading', { name: 'Page views per day, 1 in all' }).waitFor()
  expect(new URL(page.url()).search).toBe('?browser=Firefox')
  await page.getByRole('region', { name: 'Top pages' }).getByRole('link', { name: '/' }).click()
  const filters = page.getByRole('list', { name: 'Filters' }).getByRole('link')
  await filters.nth(1).waitFor()
  expect(await filters.allTextContents()).toEqual(['Page: /', 'Browser: Firefox'])
  await filters.first().click()
  await filters.nth(1).waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('?browser=Firefox')
  await page.goto(`${page.url().split('?')[0]}?browser=Lynx`)
  await page.getByRole('heading', { name: 'Page views per day, 0 in all' }).waitFor()
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await page.getByRole('img', { name: 'Visitors per day' }).waitFor()
})

test('the chart shows the values of a bar at the pointer and by keyboard', async () => {
  const owner = await dashboard.platform.owner()
  const project = await dashboard.platform.project(owner, '<title>Hello</title>hello')
  const page = await dashboard.openAs(owner, `/projects/${project.name}/analytics?metric=requests`)
  await page.context().setExtraHTTPHeaders(person)
  await visit(page, project.url)
  const call = dashboard.platform.client(owner.token)
  const summary = () =>
    call('GET /projects/:name/stats/summary', { params: { name: project.name }, query: { days: '7' } })
  await eventually(async () => (await summary()).totals.requests > 0)
  await page.reload()
  await page.getByRole('img', { name: 'Requests per day' }).waitFor()
  const chart = page.getByRole('group', { name: /^Requests per day/ })
  const tooltip = chart.locator('[data-side]')
  const today = new Date().toLocaleDateString('en', {
    ...({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const),
  })
  const { width = 0, height = 0 } = (await chart.boundingBox()) ?? {}
  await chart.hover({ position: { x: width - 5, y: height / 2 } })
  expect(await tooltip.innerText()).toMatch(
    new RegExp(`^${today}\\s+requests\\s+\\d+\\s+from cache\\s+\\d+$`),
  )
  await page.mouse.move(0, 0)
  await expect.poll(() => tooltip.count()).toBe(0)

  await chart.focus()
  await page.keyboard.press('End')
  expect(await tooltip.innerText()).toContain(today)
  await page.keyboard.press('ArrowLeft')
  expect(await tooltip.innerText()).toMatch(/requests\s+0/)
  await expect.poll(() => page.getByRole('status').filter({ hasText: 'requests 0' }).count()).toBe(1)
  await page.keyboard.press('Escape')
  await expect.poll(() => tooltip.count()).toBe(0)
})

test('a project without a deployment says what to do', async () => {
  const owner = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(owner)
  const page = await dashboard.openAs(owner, `/projects/${name}/analytics?range=30d`)
  await page.getByRole('heading', { name: 'No requests in the last 30 days' }).waitFor()
  await page.getByText(`svc deploy --project ${name}`).waitFor()
})

// Traffic and audience, from a visit to the chart.
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
  const chart = page.getByRole('figure').filter({ hasText: 'Requests per hour' })
  expect(await chart.getByRole('row').count()).toBe(25)
  expect(await page.getByRole('region', { name: 'Answers by status' }).textContent()).toContain('4xx')
  expect(await page.getByRole('link', { name: 'IP Geolocation by DB-IP' }).getAttribute('href')).toBe(
    'https://db-ip.com',
  )
  expect(await page.evaluate(nameless)).toEqual([])

  await page.getByRole('navigation', { name: 'Time range' }).getByRole('link', { name: '7 days' }).click()
  const pages = page.getByRole('region', { name: 'Top pages' })
  await pages.getByRole('listitem').waitFor()
  expect(await pages.getByRole('listitem').textContent()).toBe('/1 views')
  expect(new URL(page.url()).search).toBe('')
  await page.reload()
  await page.getByRole('img', { name: 'Pageviews and visitors per day' }).waitFor()
})

test('a project without a deployment says what to do', async () => {
  const owner = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(owner)
  const page = await dashboard.openAs(owner, `/projects/${name}/analytics?range=30d`)
  await page.getByRole('heading', { name: 'No requests in the last 30 days' }).waitFor()
  await page.getByText(`svc deploy --project ${name}`).waitFor()
})

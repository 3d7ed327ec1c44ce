// What a server app writes, in the browser: as it comes, searched, paused, and kept when the app sleeps.
import { expect, it } from 'vitest'
import { visit } from '../visit.ts'
import { useDashboard } from './dashboard.ts'
import { folderWith } from './platform.ts'

const dashboard = useDashboard()

const talkative = `
console.log('up')
require('node:http').createServer((req, res) => {
  console.log('asked for ' + req.url)
  res.end()
}).listen(process.env.PORT, process.env.HOSTNAME)
`

it('the dashboard shows lines as they are written, finds some, and can be paused', async () => {
  const person = await dashboard.platform.owner()
  const { name, url } = await dashboard.platform.project(person)
  const folder = await folderWith({ Procfile: 'web: node app.cjs\n', 'app.cjs': talkative })
  await dashboard.platform.deploy(person.token, name, folder)

  const page = await dashboard.openAs(person, `/projects/${name}/logs`)
  const lines = page.getByRole('log')
  await lines.getByText('up', { exact: true }).waitFor()
  await page.getByText('Running, live').waitFor()
  await lines.locator('[data-from=platform]').getByText('svc: The app started in').waitFor()
  await visit(url, '/one')
  await lines.getByText('asked for /one').waitFor()

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Running, paused here').waitFor()
  await visit(url, '/two')
  await page.getByRole('button', { name: 'Resume' }).click()
  await lines.getByText('asked for /two').waitFor()

  await page.getByRole('button', { name: 'Hide times' }).click()
  expect(await lines.locator('time').count()).toBe(0)
  await page.getByLabel('Search in the log').fill('/TWO')
  await page.getByText('1 line of 4').waitFor()
  expect(await lines.locator('mark').allTextContents()).toEqual(['/two'])
  await page.getByLabel('Search in the log').fill('nowhere')
  await lines.getByText('No line holds “nowhere”.').waitFor()
})

it('a static site opens on its requests, and says why it has no log of an app', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(person, `/projects/${name}/logs`)
  await page.getByRole('heading', { name: 'No requests in the last three days' }).waitFor()
  await page.getByRole('link', { name: 'App', exact: true }).click()
  await page.getByRole('heading', { name: 'No program, no log' }).waitFor()
  await page.getByText('This is a static site').waitFor()
})

it('the dashboard shows requests as they come in, filtered as the URL says', async () => {
  const person = await dashboard.platform.owner()
  const { name, url, deployments } = await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(person, `/projects/${name}/logs/requests`)
  await page.getByRole('heading', { name: 'No requests in the last three days' }).waitFor()
  await visit(url, '/')
  await visit(url, '/missing?token=secret')
  const rows = page.getByRole('log', { name: 'Requests' }).locator('[data-status]')
  await rows.filter({ hasText: '/missing' }).waitFor()
  await rows.nth(1).waitFor()
  expect(await rows.first().getByRole('button').innerText()).toMatch(/404\s+GET\s+\/missing\s/)
  expect(await page.content()).not.toContain('secret')

  await page.getByLabel('Status').selectOption('2xx')
  await rows.filter({ hasText: '/missing' }).waitFor({ state: 'detached' })
  expect(await rows.count()).toBe(1)
  expect(new URL(page.url()).search).toBe('?status=2xx')
  await rows.getByRole('button').click()
  await rows.getByRole('link', { name: deployments[0] ?? '' }).waitFor()

  await page.getByLabel('Path begins with').fill('/none')
  await page.getByRole('heading', { name: 'No request matches' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'No request matches' }).waitFor()
  expect(await page.getByLabel('Path begins with').inputValue()).toBe('/none')
  await page.getByRole('button', { name: 'Show all requests' }).click()
  await rows.nth(1).waitFor()
  expect(await page.getByLabel('Path begins with').inputValue()).toBe('')

  await page.getByRole('button', { name: 'Pause' }).click()
  await visit(url, '/later')
  await page.getByRole('button', { name: 'Resume' }).click()
  await rows.filter({ hasText: '/later' }).waitFor()
})

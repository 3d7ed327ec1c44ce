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

it('the dashboard says why a static site has no log', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(person, `/projects/${name}/logs`)
  await page.getByRole('heading', { name: 'No program, no log' }).waitFor()
  await page.getByText('This is a static site').waitFor()
})

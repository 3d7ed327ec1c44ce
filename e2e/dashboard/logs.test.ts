// What a server app writes, in the browser: as it comes, searched, paused, and kept when the app sleeps.
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { visit } from '../visit.ts'
import { useDashboard } from './dashboard.ts'

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
  const files = { Procfile: 'web: node app.cjs\n', 'app.cjs': talkative }
  await dashboard.platform.deploy(person.token, name, files)

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

  const times = page.getByRole('button', { name: 'Times' })
  expect(await times.getAttribute('aria-pressed')).toBe('true')
  await times.click()
  expect(await times.getAttribute('aria-pressed')).toBe('false')
  await expect.poll(() => lines.locator('time').count()).toBe(0)
  await page.getByLabel('Search in the log').fill('/TWO')
  await lines.getByText('up', { exact: true }).waitFor({ state: 'detached' })
  await lines.locator('mark').waitFor()
  expect(await lines.locator('[data-row]').count()).toBe(1)
  expect(await lines.locator('mark').allTextContents()).toEqual(['/two'])
  await page.getByLabel('Search in the log').fill('nowhere')
  await page.getByRole('heading', { name: 'No line matches' }).waitFor()
  await page.getByRole('button', { name: 'Show all lines' }).click()
  await lines.getByText('up', { exact: true }).waitFor()
})

it('the log of a preview is reached from its deployment, and chosen by its branch', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person)
  const app = (word: string) => ({
    Procfile: 'web: node app.cjs\n',
    'app.cjs': talkative.replace('up', word),
  })
  await dashboard.platform.deploy(person.token, name, app('production'))
  const preview = await dashboard.platform.deploy(person.token, name, app('preview'), '?branch=next')

  const page = await dashboard.openAs(person, `/projects/${name}/deployments/${preview}`)
  await page.getByRole('link', { name: 'Runtime log' }).click()
  const lines = page.getByRole('log')
  await lines.getByText('preview', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'Logs', exact: true }).click()
  await lines.getByText('production', { exact: true }).waitFor()
  expect(await lines.getByText('preview', { exact: true }).count()).toBe(0)
  await page.getByLabel('Branch').selectOption('Preview of next')
  await lines.getByText('preview', { exact: true }).waitFor()
  expect(await lines.getByText('production', { exact: true }).count()).toBe(0)
})

const careful = `
require('node:http').createServer((req, res) => {
  console.log(req.headers['x-svc-request-id'] + ' asked for ' + req.url)
  res.end()
}).listen(process.env.PORT, process.env.HOSTNAME)
`

it('a request leads to the lines that the app wrote for it, and a line leads to its request', async () => {
  const person = await dashboard.platform.owner()
  const { name, url } = await dashboard.platform.project(person)
  const files = { Procfile: 'web: node app.cjs\n', 'app.cjs': careful }
  await dashboard.platform.deploy(person.token, name, files)
  await visit(url, '/first')
  // The platform makes the id itself, whatever the client sends.
  const sent = { 'x-svc-request-id': 'req_000000000000000000' }
  const id = String((await visit(url, '/second', sent)).headers['x-svc-request-id'])
  expect(id).not.toBe(sent['x-svc-request-id'])

  const page = await dashboard.openAs(person, `/projects/${name}/logs/requests`)
  await page.getByRole('button', { name: /GET \/second, 200/ }).click()
  await page.getByRole('link', { name: 'Lines of the app' }).click()
  const lines = page.getByRole('log')
  await lines.locator('mark').getByText(id).waitFor()
  await lines.getByText('asked for /second').waitFor()
  await expect.poll(() => lines.locator('[data-row]').count()).toBe(1)

  await page.getByRole('link', { name: `The request ${id}` }).click()
  await page.getByRole('button', { name: /GET \/second, 200/ }).waitFor()
  expect(await page.getByRole('button', { name: /GET \/first, 200/ }).count()).toBe(0)
  await page.getByRole('button', { name: `Only ${id}: show all` }).click()
  await page.getByRole('button', { name: /GET \/first, 200/ }).waitFor()
})

const colourful = `
console.log('\\x1b[32mready\\x1b[0m \\x1b]0;title\\x07on time')
console.error('Error: no such order')
console.log(JSON.stringify({ level: 'warn', msg: 'slow' }))
require('node:http').createServer((req, res) => res.end()).listen(process.env.PORT, process.env.HOSTNAME)
`

it('the dashboard shows levels, streams and colours, filters by each, and saves what is filtered', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person)
  const files = { Procfile: 'web: node app.cjs\n', 'app.cjs': colourful }
  const id = await dashboard.platform.deploy(person.token, name, files)

  const page = await dashboard.openAs(person, `/projects/${name}/deployments/${id}`)
  await page.getByRole('link', { name: 'Runtime log' }).click()
  const lines = page.getByRole('log')
  await lines.locator('[data-colour=green]').getByText('ready').waitFor()
  await lines.getByText('ready on time').waitFor()
  await lines.locator('[data-from=stderr][data-level=error]').getByText('Error: no such order').waitFor()
  await lines.locator('[data-from=stdout][data-level=warn]').getByText('slow').waitFor()
  expect(await page.getByLabel('Deployment').inputValue()).toBe(id)

  await page.getByLabel('Level').selectOption('warn')
  await lines.getByText('ready').waitFor({ state: 'detached' })
  await lines.getByText('slow').waitFor()
  expect(await lines.locator('[data-row]').count()).toBe(2)
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  const text = await readFile(await saved.path(), 'utf8')
  expect(
    text
      .replace(/^\S+Z /gm, '')
      .split('\n')
      .sort(),
  ).toEqual(['', 'stderr Error: no such order', 'stdout {"level":"warn","msg":"slow"}'])
  await page.getByLabel('Stream').selectOption('stderr')
  await lines.getByText('slow').waitFor({ state: 'detached' })
  await lines.getByText('no such order').waitFor()
  expect(await lines.locator('[data-row]').count()).toBe(1)
})

const chatty = `
for (let i = 1; i <= 3000; i++) console.log('line ' + i + ' ' + 'x'.repeat(i % 7 === 0 ? 400 : 10))
require('node:http').createServer((req, res) => { console.log('asked for ' + req.url); res.end() })
  .listen(process.env.PORT, process.env.HOSTNAME)
`

it('a long log draws only the lines in sight, stays where the reader is, and jumps to the newest line', async () => {
  const person = await dashboard.platform.owner()
  const { name, url } = await dashboard.platform.project(person)
  const files = { Procfile: 'web: node app.cjs\n', 'app.cjs': chatty }
  await dashboard.platform.deploy(person.token, name, files)
  await visit(url, '/first')

  const page = await dashboard.openAs(person, `/projects/${name}/logs/app`)
  const box = page.getByRole('log')
  await box.getByText('asked for /first').waitFor()
  expect(await box.locator('[data-row]').count()).toBeLessThan(150)

  // At the top, earlier lines are loaded. The line that was at the top stays there.
  await box.evaluate(element => element.scrollTo(0, 0))
  const earlier = box.getByRole('button', { name: 'Show earlier lines' })
  const top = box.locator('[data-row]').first()
  await page.getByRole('button', { name: 'Jump to newest' }).waitFor()
  const text = (await top.locator('time + span + span').textContent()) ?? ''
  const number = Number(/^line (\d+) /.exec(text)?.[1])
  const place = async () => (await box.getByText(text, { exact: true }).boundingBox())?.y ?? 0
  const before = await place()
  await earlier.click()
  await box.getByText(`line ${number - 1} `).waitFor()
  await expect.poll(async () => Math.abs((await place()) - before)).toBeLessThan(5)

  await visit(url, '/second')
  await page.getByRole('button', { name: 'Jump to newest' }).click()
  await box.getByText('asked for /second').waitFor()
  await page.getByRole('button', { name: 'Jump to newest' }).waitFor({ state: 'detached' })
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
  expect(await rows.first().innerText()).toMatch(/404\s+GET\s+\S+\s+\/missing\s/)
  expect(await page.content()).not.toContain('secret')

  await page.getByLabel('Status', { exact: true }).selectOption('2xx')
  await rows.filter({ hasText: '/missing' }).waitFor({ state: 'detached' })
  await rows.filter({ hasText: '200' }).waitFor()
  expect(await rows.count()).toBe(1)
  expect(new URL(page.url()).search).toBe('?status=2xx')
  await rows.getByRole('button', { expanded: false }).click()
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

it('a press on a status, method, host or path of a request filters by it, and a second press shows all again', async () => {
  const person = await dashboard.platform.owner()
  const { name, url } = await dashboard.platform.project(person, 'hello')
  await visit(url, '/')
  await visit(url, '/missing')
  const page = await dashboard.openAs(person, `/projects/${name}/logs/requests`)
  const rows = page.getByRole('log', { name: 'Requests' }).locator('[data-status]')
  await rows.nth(1).waitFor()

  await rows.getByRole('button', { name: 'Show only status 404' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  expect(new URL(page.url()).search).toBe('?status=404')
  expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('404')
  await page.getByText(`svc logs --requests --status 404 -f --project ${name}`).waitFor()
  // Without a mouse, the details of the row have the same buttons.
  await rows.getByRole('button', { expanded: false }).press('Enter')
  await rows.locator('dd').getByRole('button', { name: 'Show only path /missing' }).press('Enter')
  await rows.locator('dd').getByRole('button', { name: 'Show only method GET' }).press('Enter')
  const { host } = new URL(url)
  await rows
    .locator('dd')
    .getByRole('button', { name: `Show only host ${host}` })
    .press('Enter')
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    status: '404',
    path: '/missing',
    method: 'GET',
    host,
  })
  await page.reload()
  await rows.waitFor()
  expect(await page.getByLabel('Method', { exact: true }).inputValue()).toBe('GET')
  await page.getByLabel('Status', { exact: true }).selectOption('5xx')
  await page.getByRole('heading', { name: 'No request matches' }).waitFor()
  await page.getByRole('button', { name: 'Show all requests' }).click()
  await rows.nth(1).waitFor()
  await rows.getByRole('button', { name: 'Show only path /missing' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  await rows.getByRole('button', { name: 'Show every path' }).click()
  await rows.nth(1).waitFor()
})

it('the dashboard shows the requests between two moments', async () => {
  const person = await dashboard.platform.owner()
  const { name, url } = await dashboard.platform.project(person, 'hello')
  await visit(url, '/')
  const page = await dashboard.openAs(person, `/projects/${name}/logs/requests`)
  const rows = page.getByRole('log', { name: 'Requests' }).locator('[data-status]')
  await rows.waitFor()
  await page.getByLabel('Time range').selectOption('custom')
  await page.getByLabel('From', { exact: true }).fill('2020-01-01T10:00')
  await rows.waitFor()
  await page.getByLabel('To', { exact: true }).fill('2020-01-02T10:00')
  await page.getByRole('heading', { name: 'No request matches' }).waitFor()
  const { searchParams } = new URL(page.url())
  expect(searchParams.get('range')).toBe('custom')
  expect(Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')).toBe(
    86_400_000,
  )
  await page.reload()
  await page.getByRole('heading', { name: 'No request matches' }).waitFor()
  expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('2020-01-02T10:00')
  await page.getByLabel('To', { exact: true }).fill('')
  await rows.waitFor()
})

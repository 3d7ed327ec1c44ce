// A server app in the dashboard: what it is, what it does now, and its restart.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard({})

const program = `
require('node:http').createServer((req, res) => {
  if (req.url === '/crash') { console.error('out of paper'); process.exit(4) }
  res.end('answered by ' + process.pid)
}).listen(process.env.PORT, process.env.HOSTNAME)
`

it('the dashboard shows what the app was made with and that it runs, and restarts it', async () => {
  const { platform } = dashboard
  const owner = await platform.person()
  const { name } = await platform.project(owner)
  await platform.deploy(owner.token, name, { Procfile: 'web: node app.cjs', 'app.cjs': program })
  const page = await dashboard.openAs(owner, `/projects/${name}`)
  const app = page.getByRole('region', { name: 'Server app' })
  await app.getByText('Running').waitFor()
  expect(await app.textContent()).toContain('node app.cjs')
  await app.getByRole('button', { name: 'Restart' }).click()
  await page.getByText('The app restarts.').waitFor()
  const { entries } = await platform.client(owner.token)('GET /projects/:name/audit', { params: { name } })
  expect(entries[0]).toMatchObject({ action: 'app.restart', actor: owner.login })
})

it('the dashboard says that the running app restarts when a variable changes, and whether it came up', async () => {
  const { platform } = dashboard
  const owner = await platform.person()
  const { name } = await platform.project(owner)
  const picky = `if (process.env.COLOR === 'bad') throw new Error('no such color')\n${program}`
  const files = { Procfile: 'web: node app.cjs', 'app.cjs': picky }
  await platform.deploy(owner.token, name, files)
  const page = await dashboard.openAs(owner, `/projects/${name}/environment`)
  await page.getByRole('button', { name: 'Add variable' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Key').fill('COLOR')
  await dialog.getByLabel('Value').fill('bad')
  await dialog.getByRole('button', { name: 'Add variable' }).click()
  await page.getByText('COLOR was added. The running app restarts with the change').waitFor()
  await page.getByText('The app did not start with the change.').waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  const app = page.getByRole('region', { name: 'Server app' })
  await app.getByText('The last restart failed.').waitFor()
  await app.getByText('no such color').waitFor()
})

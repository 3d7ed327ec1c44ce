// GitHub in the browser: signing in with its code, picking a repository, and seeing it built.

import { StandIn } from '@svc/server/dist/testing/github/stand-in.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useDashboard, visit } from './dashboard.ts'

let github: StandIn
const settings: Record<string, string> = { SVCD_SIGNUPS: 'open' }
beforeAll(async () => {
  github = await StandIn.start()
  Object.assign(settings, github.settings)
})
const dashboard = useDashboard(settings)
afterAll(() => github.remove())

it('the dashboard signs in with GitHub, connects a repository that is picked, and shows its build', async () => {
  const ada = github.addUser('ada')
  const repository = await github.addRepository('ada/site', [ada])
  await repository.push({ 'index.html': '<h1>from GitHub</h1>' })
  github.install('ada', ['ada/site'])

  const page = await dashboard.open(dashboard.platform.setupLink)
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  const code = await page.getByText(/^[A-Z]{4}-[A-Z]{4}$/).textContent()
  github.logins.decide(code ?? '', ada)
  await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()

  const token = (await page.evaluate(() => localStorage.getItem('svc.token'))) ?? ''
  const call = dashboard.platform.client(token)
  expect(await call('GET /me')).toMatchObject({ gitforge_id: ada, gitforge_login: 'ada' })
  const { url } = await call('POST /projects', { body: { name: 'my-site' } })
  await page.goto(`${dashboard.platform.dashboardUrl}/projects/my-site/git`)
  await page.getByRole('button', { name: 'Connect a repository' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Search').fill('sit')
  await dialog.getByLabel('Repository', { exact: true }).selectOption('ada/site')
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await page.getByText('Succeeded', { exact: true }).waitFor()
  expect(await visit(page, url)).toBe('from GitHub')
})

it('the dashboard unlinks the GitHub user of an account, and says why it cannot if there is no other way in', async () => {
  const lin = github.addUser('lin')
  const page = await dashboard.open(`${dashboard.platform.dashboardUrl}/signin`)
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  const code = await page.getByText(/^[A-Z]{4}-[A-Z]{4}$/).textContent()
  github.logins.decide(code ?? '', lin)
  await page.getByRole('button', { name: 'Import or push a repository' }).waitFor()
  await page.goto(`${dashboard.platform.dashboardUrl}/account/security`)
  await page.getByText('Linked to lin. This is your only way to sign in').waitFor()

  const person = await dashboard.platform.person()
  const call = dashboard.platform.client(person.token)
  const { user_code, device_code } = await call('POST /github/link', { body: { password: person.password } })
  github.logins.decide(user_code, github.addUser('joan'))
  await call('POST /auth/device/poll', { body: { device_code } })
  const theirs = await dashboard.openAs(person, '/account/security')
  await theirs.getByText('Linked to joan.').waitFor()
  await theirs.getByRole('button', { name: 'Unlink' }).click()
  const dialog = theirs.getByRole('dialog')
  await dialog.getByLabel('Your password', { exact: true }).fill(person.password)
  await dialog.getByRole('button', { name: 'Unlink' }).click()
  await theirs.getByText('unlinked the GitHub user joan').waitFor()
  expect(await call('GET /me/security')).toMatchObject({ github: false, github_login: null })
})

it('the dashboard makes a project of a repository that is picked on the first page', async () => {
  const grace = github.addUser('grace')
  const repository = await github.addRepository('grace/Blog', [grace])
  await repository.push({ 'index.html': '<h1>a blog</h1>' })
  github.install('grace', ['grace/Blog'])

  const page = await dashboard.open(`${dashboard.platform.dashboardUrl}/signin`)
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  const code = await page.getByText(/^[A-Z]{4}-[A-Z]{4}$/).textContent()
  github.logins.decide(code ?? '', grace)
  await page.getByRole('button', { name: 'Import or push a repository' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Repository' }).selectOption('grace/Blog')
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('blog')
  await dialog.getByRole('button', { name: 'Create project' }).click()
  await page.getByText('Succeeded', { exact: true }).waitFor()
  const token = (await page.evaluate(() => localStorage.getItem('svc.token'))) ?? ''
  const { url } = await dashboard.platform.client(token)('GET /projects/:name', { params: { name: 'blog' } })
  expect(await visit(page, url)).toBe('a blog')
})

// The tokens of an account: made, shown once, and revoked.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('the dashboard makes a token that works, shows it once, and revokes it', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person)
  await page.getByRole('button', { name: `Account: ${person.login}` }).click()
  await page.getByRole('link', { name: 'Access tokens' }).click()
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByLabel('Label').fill('Deploys from CI')
  await page.getByLabel('Expires after').selectOption('30 days')
  await page.getByRole('button', { name: 'Create token' }).click()
  const secret = (await page.getByRole('dialog').getByText(/^svc_/).textContent()) ?? ''
  const me = () => dashboard.platform.client(secret)('GET /me')
  expect((await me()).gitforge_login).toBe(person.login)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.reload()
  const row = page.getByRole('listitem').filter({ hasText: 'Deploys from CI' })
  await row.getByText('Last used just now').waitFor()
  expect(await row.getByText('This browser').count()).toBe(0)
  expect(await page.getByText('This browser').count()).toBe(1)
  await row.getByText(/^Expires /).waitFor()
  expect(await page.getByText(secret).count()).toBe(0)

  await page.getByRole('button', { name: 'Revoke Deploys from CI' }).click()
  await page.getByRole('button', { name: 'Revoke token' }).click()
  await page.getByText('Deploys from CI was revoked.').waitFor()
  await expect(me()).rejects.toMatchObject({ code: 'unauthorized' })
})

it('the dashboard makes a token for one project, and shows which one', async () => {
  const person = await dashboard.platform.person()
  const call = dashboard.platform.client(person.token)
  const { name } = await call('POST /projects', { body: { name: `x${person.login}`.slice(0, 30) } })
  const page = await dashboard.openAs(person, '/tokens')
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByLabel('Label').fill('Deploys from CI')
  await page.getByLabel('Projects', { exact: true }).selectOption(`Only ${name}`)
  await page.getByRole('button', { name: 'Create token' }).click()
  const secret = (await page.getByRole('dialog').getByText(/^svc_/).textContent()) ?? ''
  expect((await dashboard.platform.client(secret)('GET /me')).project).toBe(name)
  await page.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'Deploys from CI' })
  await row.getByText(`Only ${name}`).waitFor()
})

it('the dashboard signs the account out when its own token is revoked', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/tokens')
  await page.getByRole('button', { name: /^Revoke / }).click()
  await page.getByRole('button', { name: 'Revoke token' }).click()
  await page.getByText('was revoked.').waitFor()
  await page.getByRole('link', { name: 'svc: all projects' }).click()
  await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
})

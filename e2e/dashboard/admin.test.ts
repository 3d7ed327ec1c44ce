// The operator area, as an admin and as somebody else.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'
import type { Person } from './platform.ts'

const dashboard = useDashboard({})
/** The first account of the platform. */
let admin: Person
beforeAll(async () => {
  admin = await dashboard.platform.person()
})

const rowOf = (page: Page, { login }: Person) =>
  page.getByRole('list', { name: 'Users' }).getByRole('listitem').filter({ hasText: login })

it('the operator area is in the menu of admins, and closed to others', async () => {
  const page = await dashboard.openAs(admin)
  await page.getByRole('button', { name: /^Account:/ }).click()
  await page.getByRole('link', { name: 'Operator area' }).click()
  await page.getByRole('heading', { name: 'Checks' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('operator')
  await page.getByRole('option', { name: 'Operator area' }).waitFor()
  const person = await dashboard.platform.person()
  const closed = await dashboard.openAs(person, '/admin')
  await closed.getByRole('heading', { name: 'This area is for platform admins' }).waitFor()
  const other = await dashboard.openAs(person)
  await other.getByRole('button', { name: /^Account:/ }).click()
  await other.getByRole('button', { name: 'Sign out' }).waitFor()
  expect(await other.getByRole('link', { name: 'Operator area' }).count()).toBe(0)
  await other.keyboard.press('Escape')
  await other.keyboard.press('Control+k')
  await other.getByRole('combobox').fill('o')
  await other.getByRole('option', { name: 'New organization' }).waitFor()
  expect(await other.getByRole('option', { name: 'Operator area' }).count()).toBe(0)
})

it('an admin finds an account, disables it, and the person learns why the sign-in fails', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(admin, '/admin/users')
  await page.getByLabel('Search by login or email').fill(person.login)
  await page.getByRole('button', { name: `Disable ${person.login}` }).click()
  await page.getByRole('button', { name: 'Disable account' }).click()
  await rowOf(page, person).getByText('Disabled', { exact: true }).waitFor()
  const theirs = await dashboard.open(`${dashboard.platform.dashboardUrl}/signin`)
  await theirs.getByLabel('Login').fill(person.login)
  await theirs.getByLabel('Password', { exact: true }).fill(person.password)
  await theirs.getByRole('button', { name: 'Sign in', exact: true }).click()
  await theirs.getByText('This account is disabled.').waitFor()
  await page.getByRole('button', { name: `Enable ${person.login}` }).click()
  await page.getByRole('button', { name: 'Enable account' }).click()
  await page.getByText(`${person.login} is enabled.`).waitFor()
  await theirs.getByRole('button', { name: 'Sign in', exact: true }).click()
  await theirs.getByRole('button', { name: /^Account:/ }).waitFor()
})

it('an admin gives an account and its org limits of their own, and sees what they use', async () => {
  const person = await dashboard.platform.person()
  const call = dashboard.platform.client(person.token)
  const org = `org-of-${person.login}`.slice(0, 40)
  await call('POST /orgs', { body: { name: org } })
  const page = await dashboard.openAs(admin, '/admin/users')
  const limits = page.getByRole('button', { name: `Limits of ${person.login}` })
  await limits.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Stored deployments').fill('ten gigabytes')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('give a size such as 10 GB').waitFor()
  await dialog.getByLabel('Stored deployments').fill('10 GB')
  await dialog.getByLabel('Projects').fill('0')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`The limits of ${person.login} are changed.`).waitFor()
  await expect(call('POST /projects', { body: { name: `${person.login}-x` } })).rejects.toThrow(
    'The operator allows 0 projects, and 0 are used.',
  )
  await limits.click()
  expect(await dialog.getByLabel('Stored deployments').inputValue()).toBe('10 GB')
  await dialog.getByRole('button', { name: org }).click()
  await page.getByRole('heading', { name: `Limits of ${org}` }).waitFor()
  expect(await dialog.getByLabel('Organizations').count()).toBe(0)
  expect(await dialog.getByLabel('Projects').inputValue()).toBe('')
})

it('an admin invites a person, who creates an account with the link, once', async () => {
  const page = await dashboard.openAs(admin, '/admin/users')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Email').fill('margaret@example.org')
  await page.getByRole('button', { name: 'Create invitation' }).click()
  await page.getByText('No email was sent.').waitFor()
  const link = await page.getByRole('dialog').locator('code').innerText()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('list', { name: 'Invitations' }).getByText('margaret@example.org').waitFor()
  const theirs = await dashboard.open(link)
  await theirs.getByText(`${admin.login} invites you to this platform.`).waitFor()
  await theirs.getByLabel('Login').fill('margaret')
  await theirs.getByLabel('Password', { exact: true }).fill('the password of margaret')
  await theirs.getByRole('button', { name: 'Create account' }).click()
  await theirs.getByRole('button', { name: 'Account: margaret' }).waitFor()
  const again = await dashboard.open(link)
  await again.getByRole('heading', { name: 'This invitation does not work any more' }).waitFor()
})

it('admins type their login before they change their own account, and the last one stays', async () => {
  const page = await dashboard.openAs(admin, '/admin/users')
  await page.getByRole('button', { name: `Remove admin: ${admin.login}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(`Type ${admin.login} to confirm`).fill(admin.login)
  await dialog.getByRole('button', { name: 'Remove admin' }).click()
  await dialog.getByText('the only platform admin').waitFor()
})

it('an admin checks DNS, HTTPS and mail, and finds the results again', async () => {
  const page = await dashboard.openAs(admin, '/admin')
  const card = page.getByRole('region', { name: 'Other services' })
  await card.getByText('Not checked yet.').waitFor()
  await card.getByRole('button', { name: 'Check now' }).click()
  const result = card.getByRole('listitem').filter({ hasText: 'DNS' })
  await result.getByText('not needed for localhost').waitFor()
  await page.reload()
  await result.waitFor()
  await card.getByText(/^Checked /).waitFor()
})

it('an admin sees the invoices of everybody, opens one, and exports all as CSV', async () => {
  const page = await dashboard.openAs(admin, '/admin/invoices')
  await page.getByText('No invoices yet. Each payment gets one.').waitFor()
  const person = await dashboard.platform.person()
  const call = dashboard.platform.client(person.token)
  await call('PUT /billing/profile', { body: { name: 'Hopper & Co' } })
  const { checkout_url } = await call('POST /billing/checkout', { body: { plan: 'pro' } })
  const payment = await dashboard.open(checkout_url)
  await payment.getByRole('button', { name: 'Pay €24.20' }).click()
  const isMade = async () => (await call('GET /billing')).invoices[0]?.has_document
  await expect.poll(isMade, { timeout: 60_000 }).toBe(true)

  await page.reload()
  const row = page.getByRole('list', { name: 'Invoices' }).getByRole('listitem')
  for (const words of ['Hopper & Co', person.login, '€24.20']) await row.getByText(words).waitFor()
  const [csv] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  expect(csv.suggestedFilename()).toBe('invoices.csv')
  expect(await readFile(await csv.path(), 'utf8')).toContain('Hopper & Co')
  const [document] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^PDF of TEST-/ }).click(),
  ])
  expect(document.suggestedFilename()).toMatch(/^invoice-TEST-.*\.pdf$/)
})

it('an admin sees that the account that is signed in is active, and who has a second factor', async () => {
  const page = await dashboard.openAs(admin, '/admin/users')
  // The last use is written only every few minutes.
  await rowOf(page, admin)
    .getByText(/^Active (just now|\d+ minutes? ago)$/)
    .waitFor()
  await rowOf(page, admin).getByText('No second factor').waitFor()
  await page.getByRole('link', { name: 'Jobs', exact: true }).click()
  const none = page.getByText('No background job waits, runs or failed.')
  await page.getByRole('list', { name: 'Jobs' }).or(none).waitFor()
})

it('an admin suspends a project, its owner reads why, and the admin resumes it', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(admin, '/admin/suspensions')
  await page.getByRole('button', { name: 'Suspend…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Project', { exact: true }).fill(name)
  await dialog.getByLabel('Reason').fill('Spam was reported')
  await dialog.getByRole('button', { name: 'Suspend', exact: true }).click()
  await page.getByText(`${name} is suspended.`).waitFor()
  const theirs = await dashboard.openAs(person, `/projects/${name}`)
  await theirs.getByRole('alert').getByText('Spam was reported').waitFor()
  await page.getByRole('button', { name: `Resume ${name}` }).click()
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.getByText(`${name} is online again.`).waitFor()
})

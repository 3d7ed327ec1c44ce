// An authenticator app: set up, asked for at sign-in, replaced by a recovery code, and turned off.
import { readFile } from 'node:fs/promises'
import { AuthenticatorApp } from '@svc/server/dist/testing/authenticator.js'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'
import type { Person } from './platform.ts'

const dashboard = useDashboard({})

async function setUp(page: Page, { password }: Person) {
  await page.getByRole('button', { name: 'Set up' }).click()
  await page.getByLabel('Your password').fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
  const secret = await page.getByRole('dialog').locator('code').textContent()
  return new AuthenticatorApp(secret ?? '')
}

async function signIn(page: Page, { login, password }: Person) {
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
}

it('the dashboard sets up an authenticator app, and then signs in with its code or with a recovery code', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/account/security')
  const app = await setUp(page, person)
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).locator('path[d^="M"]').waitFor()
  await page.getByRole('textbox', { name: 'Code' }).fill(app.wrongCode())
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('The code is wrong.').waitFor()
  await page.getByRole('textbox', { name: 'Code' }).fill(app.code())
  await page.getByRole('button', { name: 'Turn on' }).click()
  const items = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await items.first().waitFor()
  const codes = await items.allTextContents()
  expect(codes).toHaveLength(10)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`svc-recovery-codes-${person.login}.txt`)
  expect(await readFile(await download.path(), 'utf8')).toContain(codes.join('\n'))
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await page.getByText('10 recovery codes left').waitFor()
  await page.getByText('turned the authenticator app on').waitFor()

  const other = await dashboard.open(dashboard.platform.dashboardUrl)
  await signIn(other, person)
  await other.getByRole('textbox', { name: 'Code' }).fill(app.wrongCode())
  await other.getByText('The code is wrong, or was used already.').waitFor()
  // The code of the next step: the one of this step may have turned the app on.
  await other.getByRole('textbox', { name: 'Code' }).fill(app.code(Date.now(), 1))
  await other.getByRole('button', { name: `Account: ${person.login}` }).click()
  await other.getByRole('button', { name: 'Sign out' }).click()
  await signIn(other, person)
  await other.getByRole('button', { name: 'Use a recovery code' }).click()
  await other.getByLabel('Recovery code').fill(codes[0] ?? '')
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.getByRole('button', { name: `Account: ${person.login}` }).waitFor()
})

it('the dashboard shows new recovery codes, and turns the authenticator app off, with the password', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/account/security')
  const app = await setUp(page, person)
  await page.getByRole('textbox', { name: 'Code' }).fill(app.code())
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await page.getByRole('button', { name: 'New recovery codes' }).click()
  await page.getByLabel('Your password').fill(person.password)
  await page.getByRole('button', { name: 'Create codes' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await page.getByRole('button', { name: 'Turn off' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill('not the password')
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await dialog.getByText('The password is wrong.').waitFor()
  await dialog.getByLabel('Your password').fill(person.password)
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('Off. Signing in needs your password alone.').waitFor()
  const body = { login: person.login, password: person.password }
  expect(await dashboard.platform.client()('POST /auth/signin', { body })).toHaveProperty('token')
})

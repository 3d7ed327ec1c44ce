// Deletes an account in the dashboard, and keeps it.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('an account is deleted with the password, and kept by signing in again', async () => {
  // The first account is a platform admin, and the last admin cannot go.
  await dashboard.platform.person()
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/account')
  await page.getByRole('button', { name: 'Delete account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill(person.password)
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await page.getByText('To keep it, sign in before then.').waitFor()
  await page.getByLabel('Login').fill(person.login)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Your account will be deleted' }).waitFor()
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download my data' }).click()
  expect((await saving).suggestedFilename()).toBe(`${person.login}.jsonl`)
  await page.getByRole('button', { name: 'Keep my account' }).click()
  await page.getByText('Your account stays, and your sites are online again.').waitFor()
  await page.getByRole('heading', { name: 'Your account will be deleted' }).waitFor({ state: 'detached' })
})

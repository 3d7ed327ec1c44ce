// Scheduled jobs: added with a schedule in words, run by hand, disabled and deleted.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('the dashboard adds a job, runs it, and shows how it went', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person, '<h1>hello</h1>')
  const page = await dashboard.openAs(person, `/projects/${name}/crons`)
  await page.getByText('No scheduled jobs yet.').waitFor()

  await page.getByRole('button', { name: 'Add job' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Path').fill('/')
  await dialog.getByLabel('Schedule').fill('61 9 * * 1')
  await dialog.getByText(/^'61' is no minute/).waitFor()
  expect(await dialog.getByLabel('Schedule').getAttribute('aria-invalid')).toBe('true')
  expect(await dialog.getByRole('button', { name: 'Add job' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Schedule').fill('0 9 * * 1-5')
  await dialog.getByText('At 09:00 UTC, Monday to Friday').waitFor()
  await dialog.getByRole('button', { name: 'Add job' }).click()
  await page.getByText('/ was scheduled.').waitFor()

  await page.getByRole('button', { name: 'Edit the job for /' }).click()
  await dialog.getByRole('button', { name: 'Every 5 minutes' }).click()
  await dialog.getByText('Next runs').waitFor()
  await expect.poll(() => dialog.getByRole('listitem').count()).toBe(5)
  await dialog.getByRole('button', { name: 'Save job' }).click()
  await page.getByText('The job for / was saved.').waitFor()
  await page.getByText('Every 5 minutes').waitFor()

  await page.getByText('Has not run yet').waitFor()
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByText('/ answered with status 200.').waitFor()
  await page.getByRole('button', { name: 'Last just now' }).click()
  await dialog.getByText('200').waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()

  const call = dashboard.platform.client(person.token)
  const stored = async () => (await call('GET /projects/:name/crons', { params: { name } })).crons
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('Disabled', { exact: true }).waitFor()
  expect(await stored()).toMatchObject([{ enabled: false, last_status: 200, next_run_at: null }])
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText(/^Next (in|within) /).waitFor()

  await page.getByRole('button', { name: 'Show the secret' }).click()
  const { verification_secret } = await call('GET /projects/:name/crons', { params: { name } })
  await page.getByText(verification_secret).waitFor()

  await page.getByRole('button', { name: 'Delete the job for /' }).click()
  await page.getByRole('button', { name: 'Delete job' }).click()
  await page.getByText('No scheduled jobs yet.').waitFor()
  expect(await stored()).toEqual([])
})

// The page on which operators change the settings of the platform.
import { beforeAll, expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'
import type { Person } from './platform.ts'

const dashboard = useDashboard({ SVCD_MAIL_FROM: 'ops@example.com' })
let admin: Person
beforeAll(async () => {
  admin = await dashboard.platform.person()
})

it('an operator changes who may sign up, at once, and takes it back', async () => {
  const page = await dashboard.openAs(admin, '/admin/settings')
  await page.getByLabel('Sign-ups').selectOption('closed')
  await page.getByRole('button', { name: 'Save: Accounts and email' }).click()
  await page.getByText('Saved.', { exact: true }).waitFor()
  const call = dashboard.platform.client(admin.token)
  expect((await call('GET /admin/overview')).signups).toBe('closed')
  await page.reload()
  expect(await page.getByLabel('Sign-ups').inputValue()).toBe('closed')
  await page.getByLabel('Sign-ups').selectOption('')
  await page.getByRole('button', { name: 'Save: Accounts and email' }).click()
  await page.getByText('Saved.', { exact: true }).waitFor()
  expect((await call('GET /admin/overview')).signups).toBe('invite')
})

it('a setting of the environment is read-only, and the page says where it is set', async () => {
  const page = await dashboard.openAs(admin, '/admin/settings')
  const field = page.getByLabel('Mail from')
  expect(await field.isDisabled()).toBe(true)
  expect(await field.inputValue()).toBe('ops@example.com')
  await page.getByText('Set by the environment: change SVCD_MAIL_FROM there.').waitFor()
})

it('a wrong value is refused with its reason, and a secret is not shown again', async () => {
  const page = await dashboard.openAs(admin, '/admin/settings')
  await page.getByLabel('Backup URL', { exact: true }).fill('s3://key:hush-hush@backups')
  const save = page.getByRole('button', { name: 'Save: Backups' })
  await save.click()
  await page.getByText('SVCD_BACKUP_PASSPHRASE is missing').waitFor()
  await page.getByLabel('Backup passphrase', { exact: true }).fill('a long passphrase')
  await save.click()
  await page.getByText('Changed settings wait for a restart.').first().waitFor()
  await page.reload()
  expect(await page.getByLabel('Backup URL', { exact: true }).inputValue()).toBe('')
  expect(await page.getByLabel('Backup URL', { exact: true }).getAttribute('placeholder')).toBe(
    'Set. Type to replace it',
  )
  expect(await page.content()).not.toContain('hush-hush')
  await page.getByRole('button', { name: 'Remove Backup URL' }).click()
  await page.getByRole('button', { name: 'Remove Backup passphrase' }).click()
  await save.click()
  await page.getByText('Saved.', { exact: true }).waitFor()
})

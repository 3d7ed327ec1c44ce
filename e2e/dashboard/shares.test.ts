// Temporary shares in the dashboard.
import { expect, it } from 'vitest'
import { useDashboard, visit } from './dashboard.ts'
import { folderWith } from './platform.ts'

const dashboard = useDashboard()

it('the dashboard shares a folder for the time that was chosen, gives out its link, and deletes it', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person)
  await page.getByRole('link', { name: 'Shares' }).click()
  await page.getByText('svc share ./dist').waitFor()
  await page.getByText('1 day', { exact: true }).click()
  const folder = await folderWith({ 'index.html': 'for a day' })
  await page.getByLabel('Choose folder').last().setInputFiles(folder)
  await page.getByText('Send this link:').waitFor()

  const { shares } = await dashboard.platform.client(person.token)('GET /shares', {})
  const [share] = shares
  expect(Date.parse(share!.expires_at) - Date.parse(share!.created_at)).toBe(24 * 3_600_000)
  await page.getByText('24 hours left').waitFor()
  expect(await visit(page, share!.url)).toBe('for a day')

  await page.getByRole('button', { name: `Delete ${share!.name}` }).click()
  await page.getByRole('button', { name: 'Delete share' }).click()
  await page.getByText(`${share!.name} was deleted.`).waitFor()
  await page.getByText('svc share ./dist').waitFor()
  expect((await dashboard.platform.client(person.token)('GET /shares', {})).shares).toEqual([])
})

it('the dashboard says why a share was refused', async () => {
  const page = await dashboard.openAs(await dashboard.platform.person(), '/shares')
  const folder = await folderWith({ 'node_modules/x.js': 'not a site' })
  await page.getByLabel('Choose folder').last().setInputFiles(folder)
  await page.getByText('Nothing to deploy: no files found').waitFor()
})

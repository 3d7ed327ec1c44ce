// Repositories at other git hosts, by a stand-in on this machine.
import { StandInHost } from '@svc/server/dist/testing/git-host.js'
import { StandInRepository } from '@svc/server/dist/testing/github/repositories.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard({ SVCD_ALLOW_PRIVATE_TARGETS: '1' })
let host: StandInHost

beforeAll(async () => {
  host = await StandInHost.start('gitea', 'ada/shop')
  await host.repository.push({ 'index.html': 'from another host' }, { message: 'Begin' })
})
afterAll(() => host?.remove())

it('a new project imports a repository of another git host by its URL, and is called like it', async () => {
  const page = await dashboard.openAs(await dashboard.platform.person())
  await page.getByRole('button', { name: 'Import or push a repository' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('By its URL').click()
  const create = dialog.getByRole('button', { name: 'Create project' })
  expect(await create.isDisabled()).toBe(true)
  await dialog.getByRole('textbox', { name: 'URL of the repository' }).fill(`${host.url}/ada/shop.git`)
  await dialog.getByRole('textbox', { name: 'Access token' }).fill(host.token)
  expect(await dialog.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('shop')
  await create.click()
  await page.waitForURL(/\/projects\/shop\/git\/bld_/)
  await page.getByText('Succeeded', { exact: true }).waitFor()
})

it('a new project imports a public repository by its URL alone, and its page for git says how to build pushes', async () => {
  const open = await StandInRepository.make(2, 'ada/bakery')
  host.open.set('ada/bakery', open)
  await open.push({ 'index.html': 'open to all' }, { branch: 'trunk', message: 'Open the bakery' })
  await open.setDefaultBranch('trunk')
  const page = await dashboard.openAs(await dashboard.platform.person())
  await page.getByRole('button', { name: 'Import or push a repository' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('By its URL').click()
  await dialog.getByRole('textbox', { name: 'URL of the repository' }).fill(`${host.url}/ada/bakery`)
  await dialog.getByRole('button', { name: 'Create project' }).click()
  await page.waitForURL(/\/projects\/bakery\/git\/bld_/)
  await page.getByText('Succeeded', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Open the bakery' }).waitFor()
  await page.getByRole('link', { name: 'Git', exact: true }).click()
  await page.getByText('The platform is not told of pushes to this repository.').waitFor()
  await page.getByRole('button', { name: 'Build trunk now' }).waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  const card = page.getByRole('region', { name: 'Live deployment' })
  await card.getByRole('link', { name: 'Open the bakery' }).waitFor()
})

it('a token that the host refuses leaves the project, and its page for git to try again', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person)
  await page.getByRole('button', { name: 'Import or push a repository' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('By its URL').click()
  await dialog.getByRole('textbox', { name: 'URL of the repository' }).fill(`${host.url}/ada/shop`)
  await dialog.getByRole('textbox', { name: 'Access token' }).fill('token-of-nobody')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(`${person.login}-second`)
  await dialog.getByRole('button', { name: 'Create project' }).click()
  await page.getByText(`${person.login}-second was created, but not connected.`).waitFor()
  await page.waitForURL(/-second\/git$/)
})

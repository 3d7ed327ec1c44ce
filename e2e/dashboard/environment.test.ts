// The environment variables of a project: added, shown on request, changed, imported and removed.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('the dashboard adds, shows, edits, imports and removes variables', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person)
  const call = dashboard.platform.client(person.token)
  const stored = async () => {
    const { env } = await call('GET /projects/:name/env', { params: { name } })
    return env.map(({ key, value, scope }) => [key, value, scope])
  }
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Environment' }).click()
  await page.getByText('No variables yet.').waitFor()

  await page.getByRole('button', { name: 'Add variable' }).click()
  await page.getByRole('textbox', { name: 'Key' }).fill('PORT')
  await page.getByRole('dialog').getByRole('button', { name: 'Add variable' }).click()
  await page.getByText('PORT is set by the platform.').waitFor()
  await page.getByRole('textbox', { name: 'Key' }).fill('API_TOKEN')
  await page.getByRole('textbox', { name: 'Value' }).fill('hunter2')
  await page.getByText('Both', { exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add variable' }).click()
  await page.getByText('API_TOKEN was added.').waitFor()
  expect(await stored()).toEqual([['API_TOKEN', 'hunter2', 'both']])

  expect(await page.getByText('hunter2').count()).toBe(0)
  await page.getByRole('button', { name: 'Show the value of API_TOKEN' }).click()
  await page.getByText('hunter2').waitFor()

  await page.getByRole('button', { name: 'Edit API_TOKEN' }).click()
  await page.getByRole('textbox', { name: 'Value' }).fill('two\nlines')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('API_TOKEN was changed.').waitFor()
  expect(await stored()).toEqual([['API_TOKEN', 'two\nlines', 'both']])

  await page.getByRole('button', { name: 'Import .env' }).click()
  await page.getByLabel('Contents of the file').fill('A="never closed')
  await page.getByText('Line 1: the " is never closed.').waitFor()
  await page.getByLabel('Contents of the file').fill('API_TOKEN=new\nexport OTHER="x" # c\nNODE_ENV=test')
  await page.getByText('Skipped, since a platform sets them: NODE_ENV').waitFor()
  await page.getByRole('button', { name: 'Import 2 variables' }).click()
  await page.getByText('2 variables imported.').waitFor()
  expect(await stored()).toEqual([
    ['API_TOKEN', 'new', 'both'],
    ['OTHER', 'x', 'runtime'],
  ])

  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add variable' }).click()
  await page.getByRole('textbox', { name: 'Key' }).fill('OTHER')
  await page.getByRole('textbox', { name: 'Value' }).fill('of a branch')
  await dialog.getByRole('button', { name: 'Add variable' }).click()
  await page.getByText('OTHER exists already. Edit that one.').waitFor()
  await page.getByText('A branch', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Add variable' }).click()
  await page.getByText('Name the branch.').waitFor()
  await page.getByRole('textbox', { name: 'Branch' }).fill('next')
  await page.getByRole('checkbox', { name: 'Secret' }).check()
  await dialog.getByRole('button', { name: 'Add variable' }).click()
  await page.getByText('OTHER (branch next) was added.').waitFor()
  await page.getByText('secret: cannot be shown').waitFor()
  expect(await stored()).toContainEqual(['OTHER', null, 'runtime'])

  await page.getByRole('button', { name: 'Remove OTHER (branch next)' }).click()
  await page.getByRole('button', { name: 'Remove variable' }).click()
  await page.getByText('OTHER (branch next) was removed.').waitFor()
  await page.getByRole('button', { name: 'Remove OTHER' }).click()
  await page.getByRole('button', { name: 'Remove variable' }).click()
  await page.getByText('OTHER was removed.').waitFor()
  await page.reload()
  await page.getByText('API_TOKEN').waitFor()
  expect(await page.getByText('OTHER').count()).toBe(0)
  expect(await stored()).toEqual([['API_TOKEN', 'new', 'both']])
})

it('a long list is searched, and shows the rest when asked', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person)
  const call = dashboard.platform.client(person.token)
  for (let i = 10; i < 62; i++)
    await call('PUT /projects/:name/env/:key', { params: { name, key: `KEY_${i}` }, body: { value: 'x' } })
  const page = await dashboard.openAs(person, `/projects/${name}/environment`)
  await page.getByText('KEY_59', { exact: true }).waitFor()
  expect(await page.getByText('KEY_60', { exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: 'Show all 52' }).click()
  await page.getByText('KEY_61', { exact: true }).waitFor()

  const search = page.getByLabel('Search 52 variables')
  await search.fill('key_2')
  await page.getByText('KEY_31', { exact: true }).waitFor({ state: 'detached' })
  expect(await page.getByText(/^KEY_\d+$/).count()).toBe(10)
  await search.fill('nothing')
  await page.getByRole('heading', { name: 'No variable matches' }).waitFor()
  await search.press('Escape')
  await page.getByText('KEY_31', { exact: true }).waitFor()
})

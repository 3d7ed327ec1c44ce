// Deleting and transferring a project in the dashboard.
import { expect, it } from 'vitest'
import { useDashboard, visit } from './dashboard.ts'

const dashboard = useDashboard()

it('the dashboard deletes a project once its name is typed', async () => {
  const person = await dashboard.platform.person()
  const { name, url } = await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Delete project' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('something else')
  await dialog.getByRole('button', { name: 'Delete project' }).click()
  await dialog.getByText(`Type ${name} to confirm.`, { exact: true }).waitFor()
  expect(await visit(page, url)).toBe('hello')

  await dialog.getByRole('textbox').fill(name)
  await page.keyboard.press('Enter')
  await page.getByText(`${name} was deleted.`).waitFor()
  await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()
  const visitor = await page.context().newPage()
  expect((await visitor.goto(url))?.status()).toBe(404)
})

it('the dashboard says what a new retention deletes before it saves it', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, '1', '2', '3', '4', '5', '6', '7')
  const page = await dashboard.openAs(person, `/projects/${name}/settings`)
  await page.getByLabel('Former production deployments').selectOption('Keep the last 5')
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await save.click()
  const dialog = page.getByRole('dialog', { name: 'Delete 1 deployment?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const stored = async () =>
    (await dashboard.platform.client(person.token)('GET /projects/:name', { params: { name } })).retention
  expect(await stored()).toEqual({ production_count: null, preview_days: null })
  await save.click()
  await dialog.getByRole('button', { name: 'Save and delete' }).click()
  await page.getByText('The retention was saved.').waitFor()
  expect(await stored()).toEqual({ production_count: 5, preview_days: null })
})

it('the dashboard chooses the Node.js of a project', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(person, `/projects/${name}/settings`)
  const version = process.versions.node
  await page.getByLabel('Node.js version').selectOption(version)
  await page.getByText('The next build or deploy uses this version of Node.js.').waitFor()
  const stored = await dashboard.platform.client(person.token)('GET /projects/:name/node', {
    params: { name },
  })
  expect(stored).toMatchObject({ node: version, standard: version })
})

it('the dashboard renames a project and stays on its page', async () => {
  const person = await dashboard.platform.person()
  const { name, url } = await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(person, `/projects/${name}/settings`)
  await page.getByRole('button', { name: 'Rename project' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New name').fill(`${name}-renamed`)
  await dialog.getByRole('button', { name: 'Rename project' }).click()
  await page.getByText(`${name} is now called ${name}-renamed.`).waitFor()
  await page.getByRole('heading', { name: `${name}-renamed` }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/projects/${name}-renamed/settings`)
  expect(await visit(page, url)).toBe('hello')
})

it('the dashboard transfers a project to an org and back', async () => {
  const person = await dashboard.platform.person()
  const call = dashboard.platform.client(person.token)
  const { name } = await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(person, `/projects/${name}/settings`)
  await page.getByText('You are in no organization yet').waitFor()

  await call('POST /orgs', { body: { name: 'acme', display_name: 'Acme Ltd' } })
  await page.reload()
  await page.getByRole('button', { name: 'Transfer project' }).click()
  await page.getByRole('radio', { name: 'Acme Ltd' }).check()
  await page.getByRole('dialog').getByRole('button', { name: 'Transfer project' }).click()
  await page.getByText(`${name} now belongs to acme.`).waitFor()
  expect((await call('GET /projects/:name', { params: { name } })).org).toBe('acme')

  await page.getByRole('button', { name: 'Transfer project' }).click()
  await page.getByRole('radio', { name: 'Your account' }).check()
  await page.getByRole('dialog').getByRole('button', { name: 'Transfer project' }).click()
  await page.getByText(`${name} now belongs to you.`).waitFor()
  expect((await call('GET /projects/:name', { params: { name } })).org).toBeNull()
})

// Deploying from the browser, rolling back and deleting, with the mouse and with the keyboard alone.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useDashboard, visit } from './dashboard.ts'
import { drop } from './drop.ts'
import { folderWith } from './platform.ts'

const dashboard = useDashboard()

const pickerOf = (page: Page, label: string) => page.locator(`input[type=file][aria-label="${label}"]`)

it('the dashboard deploys a folder that is dropped, without what does not belong to a site', async () => {
  const person = await dashboard.platform.owner()
  const { name, url } = await dashboard.platform.project(person)
  const folder = await folderWith({
    'index.html': '<p>dropped</p>',
    'sub/ünïcode.html': '<p>deep</p>',
    'svc.json': '{}',
    '.git/config': 'secret',
    'node_modules/a/index.js': 'x',
  })
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByText('Drop a folder, files or a .zip here').waitFor()
  await drop(page, folder)
  await page.getByText('is what visitors see now').waitFor()
  expect(await visit(page, url)).toBe('dropped')
  expect(await visit(page, `${url}/sub/ünïcode`)).toBe('deep')
  await page.getByRole('row', { name: /Live.*2 files/ }).waitFor()
})

it('the dashboard deploys a folder that is chosen, and files that are chosen', async () => {
  const person = await dashboard.platform.owner()
  const { name, url } = await dashboard.platform.project(person)
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByRole('button', { name: 'Choose folder' }).waitFor()
  await pickerOf(page, 'Choose folder').setInputFiles(await folderWith({ 'index.html': 'first' }))
  await page.getByText('is what visitors see now').waitFor()
  expect(await visit(page, url)).toBe('first')
  await page.getByRole('button', { name: 'Dismiss' }).click()

  const second = await folderWith({ 'index.html': 'second', '.env': 'KEY=1' })
  await pickerOf(page, 'Choose files').setInputFiles([`${second}/index.html`, `${second}/.env`])
  await page.getByText('.env is part of the upload.').waitFor()
  await page.getByRole('button', { name: 'Deploy anyway' }).click()
  await page.getByText('is what visitors see now').waitFor()
  expect(await visit(page, url)).toBe('second')
})

it('the dashboard makes a project from a folder that is dropped on an empty list', async () => {
  const person = await dashboard.platform.person()
  const folder = await folderWith({ 'index.html': 'from a drop' })
  const page = await dashboard.openAs(person)
  await page.getByText('Drop a folder, files or a .zip here').waitFor()
  await drop(page, folder)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(`${person.login}-drop`)
  await dialog.getByRole('button', { name: 'Create and deploy' }).click()
  await page.getByText('is what visitors see now').waitFor()
  expect(page.url()).toBe(`${dashboard.platform.dashboardUrl}/projects/${person.login}-drop`)
  const [site] = (await dashboard.platform.client(person.token)('GET /projects', {})).projects
  expect(await visit(page, site!.url)).toBe('from a drop')
})

it('the dashboard refuses what is over a limit before anything is sent', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person)
  const folder = await folderWith({ 'index.html': 'x', 'media/film.mp4': Buffer.alloc(25 * 1024 * 1024 + 1) })
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByText('Drop a folder, files or a .zip here').waitFor()
  await drop(page, folder)
  await page.getByText('File exceeds the 25 MB limit: media/film.mp4.').waitFor()
  const { deployments } = await dashboard.platform.client(person.token)('GET /projects/:name', {
    params: { name },
  })
  expect(deployments).toEqual([])
})

it('the dashboard shows why the platform refused an upload, and keeps the record of it', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person)
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByText('Drop a folder, files or a .zip here').waitFor()
  await drop(page, await folderWith({ Procfile: 'web: echo no database; exit 3' }))
  await page.getByRole('alert').getByText('Nothing was deployed.').waitFor()
  const record = page.getByRole('row', { name: /Failed/ })
  await record.waitFor()
  const { deployments } = await dashboard.platform.client(person.token)('GET /projects/:name', {
    params: { name },
  })
  expect(deployments).toHaveLength(1)
  const [sentence = ''] = deployments[0]!.error!.split('\n')
  expect(await record.textContent()).toContain(sentence)
  expect(await page.getByRole('alert').textContent()).toContain(sentence)
})

it('the dashboard cancels an upload, and nothing is deployed', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person)
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByText('Drop a folder, files or a .zip here').waitFor()
  // The upload never gets its answer, so that there is all the time to cancel it.
  await page.route('**/deployments', () => undefined)
  await drop(page, await folderWith({ 'index.html': 'x' }))
  await page.getByRole('region', { name: 'Upload' }).getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Cancelled. Nothing was deployed.').waitFor()
  await page.getByText('Drop a folder, files or a .zip here').waitFor()
  const { deployments } = await dashboard.platform.client(person.token)('GET /projects/:name', {
    params: { name },
  })
  expect(deployments).toEqual([])
})

it('the dashboard rolls back with one click, and undoes it', async () => {
  const person = await dashboard.platform.owner()
  const { name, url, deployments } = await dashboard.platform.project(person, 'one', 'two')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByRole('button', { name: `Roll back to ${deployments[0]}` }).click()
  await page.getByText(`${deployments[0]} is live.`).waitFor()
  expect(await visit(page, url)).toBe('one')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(`${deployments[1]} is live.`).waitFor()
  expect(await visit(page, url)).toBe('two')
})

it('the dashboard names the live deployment even where it is older than the list', async () => {
  const person = await dashboard.platform.owner()
  const pages = Array.from({ length: 21 }, (_, i) => `page ${i}`)
  const { name, deployments } = await dashboard.platform.project(person, ...pages)
  const call = dashboard.platform.client(person.token)
  await call('POST /projects/:name/deployments/:id/activate', { params: { name, id: deployments[0]! } })
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const live = page.getByRole('region', { name: 'Live deployment' })
  await live.getByRole('link', { name: deployments[0]!, exact: true }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: /^Make live: dep_\w+$/ }).count()).toBe(20)
})

it('the dashboard shows that a rollback was refused', async () => {
  const person = await dashboard.platform.owner()
  const { name, deployments } = await dashboard.platform.project(person, 'one', 'two')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const call = dashboard.platform.client(person.token)
  // The deployment is deleted when the click is already on its way.
  await page.route('**/activate', async route => {
    await call('DELETE /projects/:name/deployments/:id', { params: { name, id: deployments[0]! } })
    await route.continue()
  })
  const button = page.getByRole('button', { name: `Roll back to ${deployments[0]}` })
  const notes = page.getByRole('list', { name: 'Notifications' }).getByRole('listitem')
  await Promise.all([notes.filter({ hasNotText: 'is live' }).waitFor(), button.click()])
  await button.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: new RegExp(`Live.*${deployments[1]}`) }).waitFor()
})

it('the dashboard deletes a deployment for good after asking', async () => {
  const person = await dashboard.platform.owner()
  const { name, deployments } = await dashboard.platform.project(person, 'one', 'two')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByRole('button', { name: `Delete ${deployments[0]}` }).click()
  await page.getByRole('dialog').getByText('is removed for good').waitFor()
  await page.getByRole('button', { name: 'Keep it' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: `Delete ${deployments[0]}` }).click()
  await page.getByRole('button', { name: 'Delete deployment' }).click()
  await page.getByText(`${deployments[0]} was deleted.`).waitFor()
  const left = await dashboard.platform.client(person.token)('GET /projects/:name', { params: { name } })
  expect(left.deployments.map(({ id }) => id)).toEqual([deployments[1]])
})

it('the dashboard works from sign-in to rollback with the keyboard alone', async () => {
  const person = await dashboard.platform.person()
  const { name, url, deployments } = await dashboard.platform.project(person, 'one', 'two')
  const page = await dashboard.open(dashboard.platform.dashboardUrl)
  const press = (key: string) => page.keyboard.press(key)
  const focused = () =>
    page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
    )
  /** Tabs on until the control of that name has the focus. */
  const tabTo = async (label: string) => {
    for (let count = 0; count < 40; count += 1) {
      await press('Tab')
      if ((await focused()) === label) return
    }
    throw new Error(`Tab never reached ${label}`)
  }

  await page.getByLabel('Login').waitFor()
  await page.keyboard.type(person.login)
  await press('Tab')
  await page.keyboard.type(person.password)
  await press('Enter')
  await page.getByRole('link', { name, exact: true }).waitFor()
  await tabTo(name)
  await press('Enter')
  await page.getByRole('heading', { name, exact: true }).waitFor()
  await tabTo(`Roll back to ${deployments[0]}`)
  await press('Enter')
  await page.getByText(`${deployments[0]} is live.`).waitFor()
  expect(await visit(page, url)).toBe('one')

  await tabTo(`Delete ${deployments[1]}`)
  await press('Enter')
  await page.getByRole('dialog').waitFor()
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await focused()).toBe(`Delete ${deployments[1]}`)
})

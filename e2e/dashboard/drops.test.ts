// What the dashboard shows of a drop before anything is sent, and what it deploys then.
import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useDashboard, visit } from './dashboard.ts'
import { drop } from './drop.ts'
import { type DeployedProject, folderWith, type Person } from './platform.ts'

const dashboard = useDashboard()

/** A project, and its page in the browser. */
async function openProject(
  ...frontPages: string[]
): Promise<{ page: Page; project: DeployedProject; person: Person }> {
  const person = await dashboard.platform.owner()
  const project = await dashboard.platform.project(person, ...frontPages)
  const page = await dashboard.openAs(person, `/projects/${project.name}`)
  await page.getByText('Drop a folder, files or a .zip here').waitFor()
  return { page, project, person }
}

/** A zip archive with site/index.html and site/deep/page.html. */
const zipped = Buffer.from(
  [
    'UEsDBBQAAAAIABJIcF2B0By8DAAAAAoAAAAPAAAAc2l0ZS9pbmRleC5odG1sSyvKz1VIVKjKLAAAUEsDBBQAAAAIABJIcF1B',
    '9P2NCAAAAAYAAAATAAAAc2l0ZS9kZWVwL3BhZ2UuaHRtbEtJTS1ILQIAUEsBAhQDFAAAAAgAEkhwXYHQHLwMAAAACgAAAA8A',
    'AAAAAAAAAAAAAIABAAAAAHNpdGUvaW5kZXguaHRtbFBLAQIUAxQAAAAIABJIcF1B9P2NCAAAAAYAAAATAAAAAAAAAAAAAACA',
    'ATkAAABzaXRlL2RlZXAvcGFnZS5odG1sUEsFBgAAAAACAAIAfgAAAHIAAAAAAA==',
  ].join(''),
  'base64',
)

const deploymentsOf = async ({ token }: Person, name: string) =>
  (await dashboard.platform.client(token)('GET /projects/:name', { params: { name } })).deployments

it('a drop that looks right is deployed by itself, and Undo goes back to the deployment before', async () => {
  const { page, project } = await openProject('before')
  await drop(page, await folderWith({ 'index.html': 'after', 'a/b.txt': 'x' }))
  await page.getByText(`Before, they saw ${project.deployments[0]}.`).waitFor()
  expect(await visit(page, project.url)).toBe('after')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(`${project.deployments[0]} is live.`).waitFor()
  expect(await visit(page, project.url)).toBe('before')
})

it('a drop that looks wrong says why and waits; the folder that was meant can be deployed instead', async () => {
  const { page, project, person } = await openProject('before')
  const sources = await folderWith({
    'index.html': '<script type="module" src="/src/main.ts"></script>',
    'package.json': '{"scripts":{"build":"vite build"}}',
    'dist/index.html': 'built',
  })
  await drop(page, sources)
  const sheet = page.getByRole('dialog')
  await sheet.getByText('browsers can run only once it is built').waitFor()
  await sheet.getByText('3 files').waitFor()
  expect(await sheet.getByRole('heading').textContent()).toBe(`Deploy to ${project.name}`)
  await sheet.getByRole('button', { name: 'Deploy anyway' }).waitFor()
  await sheet.getByRole('button', { name: 'Cancel' }).click()
  await sheet.waitFor({ state: 'detached' })
  expect(await deploymentsOf(person, project.name)).toHaveLength(1)

  await drop(page, sources)
  await sheet.getByRole('button', { name: 'Deploy only dist/' }).click()
  await page.getByText('is what visitors see now').waitFor()
  expect(await visit(page, project.url)).toBe('built')
})

it('a drop without a front page, and an app without a start command, are told before they are deployed', async () => {
  const { page } = await openProject()
  const sheet = page.getByRole('dialog')
  await drop(page, await folderWith({ 'notes.txt': 'x' }))
  await sheet.getByText('There is no index.html at the top level').waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })

  await drop(page, await folderWith({ Procfile: 'worker: node w.js', 'w.js': '' }))
  await sheet.getByText('The Procfile has no web: line, so it starts no server.').waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })

  // A server app needs no index.html.
  await drop(page, await folderWith({ Procfile: 'web: node app.js', 'app.js': '', '.env': 'KEY=1' }))
  await sheet.getByText('Server app (Procfile)').waitFor()
  await sheet.getByText('node app.js', { exact: true }).waitFor()
  await sheet.getByText('.env is part of the upload.').waitFor()
  expect(await sheet.getByText('404').count()).toBe(0)
})

it('a drop is deployed as a preview if it is wanted, and production stays as it is', async () => {
  const { page, project } = await openProject('production')
  await drop(page, await folderWith({ 'index.html': 'preview', '.env': 'makes it wait' }))
  const sheet = page.getByRole('dialog')
  await sheet.getByText('It gets a URL of its own').click()
  await sheet.getByLabel('Branch').fill('new-look')
  await sheet.getByRole('button', { name: 'Deploy anyway' }).click()
  await page.getByText('Preview ready.').waitFor()
  const href = await page.getByRole('link', { name: 'Open preview' }).getAttribute('href')
  expect(href).toContain('new-look')
  expect(await visit(page, href!)).toBe('preview')
  expect(await visit(page, project.url)).toBe('production')
})

it('a zip archive is unpacked in the browser', async () => {
  const { page, project } = await openProject()
  await drop(page, `${await folderWith({ 'site.zip': zipped })}/site.zip`)
  await page.getByText('is what visitors see now').waitFor()
  expect(await visit(page, project.url)).toBe('from a zip')
  expect(await visit(page, `${project.url}/deep/page`)).toBe('deeper')

  await drop(page, `${await folderWith({ 'cut.zip': zipped.subarray(0, 100) })}/cut.zip`)
  await page.getByRole('dialog').getByText('cut.zip cannot be unpacked').waitFor()
})

it('a drop on the list of projects makes a new one, or goes to one that is there', async () => {
  const person = await dashboard.platform.person()
  const { name, url } = await dashboard.platform.project(person, 'old')
  const page = await dashboard.openAs(person)
  await page.getByRole('link', { name, exact: true }).waitFor()
  await drop(page, await folderWith({ 'index.html': 'new' }))
  const sheet = page.getByRole('dialog')
  expect(await sheet.getByLabel('Name').inputValue()).toBe('my-site')
  await sheet.getByLabel('Name').fill(`${person.login}-dropped`)
  await sheet.getByRole('button', { name: 'Create and deploy' }).click()
  await page.getByText('is what visitors see now').waitFor()
  expect(page.url()).toBe(`${dashboard.platform.dashboardUrl}/projects/${person.login}-dropped`)

  await page.goto(`${dashboard.platform.dashboardUrl}/tokens`)
  await page.getByRole('button', { name: 'New token' }).waitFor()
  await drop(page, await folderWith({ 'index.html': 'newer' }))
  await sheet.getByLabel('Deploy to').selectOption(name)
  await sheet.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByText('is what visitors see now').waitFor()
  expect(await visit(page, url)).toBe('newer')
})

it('a folder that is chosen on the list of projects makes a new one', async () => {
  const person = await dashboard.platform.owner()
  await dashboard.platform.project(person, 'there already')
  const page = await dashboard.openAs(person)
  await page.getByRole('button', { name: 'Deploy a folder' }).waitFor()
  await page
    .getByLabel('Deploy a folder')
    .last()
    .setInputFiles(await folderWith({ 'index.html': 'chosen' }))
  const sheet = page.getByRole('dialog')
  await sheet.getByLabel('Name').fill(`${person.login}-chosen`)
  await sheet.getByRole('button', { name: 'Create and deploy' }).click()
  await page.getByText('is what visitors see now').waitFor()
  expect(page.url()).toBe(`${dashboard.platform.dashboardUrl}/projects/${person.login}-chosen`)
})

it('a drop sends only files that the platform lacks', async () => {
  const { page, project } = await openProject()
  const large = randomBytes(2 * 1024 * 1024)
  // Playwright does not say how large an upload is, so the page counts.
  await page.evaluate(() => {
    const { send } = XMLHttpRequest.prototype
    XMLHttpRequest.prototype.send = function (body) {
      document.documentElement.dataset.sent = String((body as Blob).size)
      send.call(this, body)
    }
  })
  const uploadOf = async (frontPage: string) => {
    await drop(page, await folderWith({ 'index.html': frontPage, 'large.bin': large }))
    await page.getByText('is what visitors see now').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    return Number(await page.locator('html').getAttribute('data-sent'))
  }
  expect(await uploadOf('first')).toBeGreaterThan(large.length)
  expect(await uploadOf('second')).toBeLessThan(100_000)
  expect(await visit(page, project.url)).toBe('second')
})

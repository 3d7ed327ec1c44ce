// The list of projects, and making one.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('the dashboard shows the first steps to an account without projects, and the rules of a name while it is typed', async () => {
  const page = await dashboard.openAs(await dashboard.platform.person())
  await page.getByText('Name, build and deploy it').waitFor()
  await page.getByRole('button', { name: 'New project' }).click()
  const name = page.getByLabel('Name')
  await name.pressSequentially('My Site-')
  expect(await name.inputValue()).toBe('my-site-')
  await page.getByRole('button', { name: 'Create project' }).click()
  await page.getByText('This name breaks a rule below.').waitFor()
  await name.fill('api')
  await page.getByRole('button', { name: 'Create project' }).click()
  await page.getByText('belongs to the platform itself').waitFor()
})

it('the dashboard shows what the API says about a name that is taken', async () => {
  const [owner, other] = [await dashboard.platform.person(), await dashboard.platform.person()]
  const { name } = await dashboard.platform.project(owner)
  const page = await dashboard.openAs(other)
  await page.getByRole('button', { name: 'New project' }).click()
  await page.getByLabel('Name').fill(name)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('taken').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

it('a new project begins with a repository, unless a folder is chosen', async () => {
  const person = await dashboard.platform.person()
  await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(person)
  await page.getByRole('button', { name: 'New project' }).click()
  const dialog = page.getByRole('dialog', { name: 'New project' })
  await dialog.getByText('Where is the repository?').waitFor()
  await dialog.getByText('A folder', { exact: true }).click()
  const name = `${person.login}-folder`
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Create project' }).click()
  await page.waitForURL(`**/projects/${name}`)
  await page.getByText('Drop a folder, files or a .zip here').waitFor()
})

it('the dashboard shows all projects at once, what was deployed last first, and finds them by their names', async () => {
  const person = await dashboard.platform.person()
  const live = await dashboard.platform.project(person, 'hello')
  const made: string[] = []
  const call = dashboard.platform.client(person.token)
  for (let count = 0; count < 25; count += 1) {
    const name = `${person.login}-site-${count}`
    await call('POST /projects', { body: { name } })
    made.push(name)
  }
  const deployed = await dashboard.platform.project(person, 'deployed last')
  const page = await dashboard.openAs(person)
  const cards = page.getByRole('list', { name: 'Projects' }).getByRole('listitem')
  await page.getByRole('link', { name: live.name, exact: true }).waitFor()
  expect(await cards.count()).toBe(27)
  const first = (await cards.first().textContent()) ?? ''
  expect(first).toContain(deployed.name)
  expect(first).toContain(`by ${person.login}`)
  expect(first).toContain('Live')
  expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0)
  await page.getByRole('link', { name: deployed.deployments[0]! }).waitFor()

  await page.keyboard.press('/')
  await page.keyboard.type('SITE-2')
  await expect.poll(() => cards.count()).toBe(6)
  await page.keyboard.press('Escape')
  await expect.poll(() => cards.count()).toBe(27)
  await page.getByLabel('Sort by').selectOption('Name')
  await expect.poll(() => cards.first().textContent()).toContain(made[0])
})

it('the dashboard loads more of many projects when the reader scrolls, and searches all of them', async () => {
  const person = await dashboard.platform.person()
  const call = dashboard.platform.client(person.token)
  for (let count = 0; count < 50; count += 1)
    await call('POST /projects', { body: { name: `${person.login}-${String(count).padStart(3, '0')}` } })
  const page = await dashboard.openAs(person)
  const shown = page.getByRole('list', { name: 'Projects' }).getByRole('listitem')
  await expect.poll(() => shown.count()).toBe(48)

  // The first that was made is not among those that were loaded.
  await page.keyboard.press('/')
  await page.keyboard.type('-000')
  await expect.poll(() => shown.count()).toBe(1)
  await page.reload()
  await expect.poll(() => shown.allTextContents()).toEqual([expect.stringContaining('-000')])
  expect(await page.getByLabel('Search projects').inputValue()).toBe('-000')
  await page.getByLabel('Search projects').fill('nobody has this')
  await page.getByText('No project has “nobody has this” in its name.').waitFor()
  await page.getByLabel('Search projects').press('Escape')
  await expect.poll(() => shown.count()).toBe(48)

  await page.getByRole('button', { name: 'Show as a list' }).click()
  await shown.last().scrollIntoViewIfNeeded()
  await expect.poll(() => shown.count()).toBe(50)
  await page.reload()
  await page.getByRole('button', { name: 'Show as cards' }).waitFor()
})

it('the dashboard keeps the stars of an account on the server, and shows starred projects first', async () => {
  const person = await dashboard.platform.person()
  const old = await dashboard.platform.project(person, 'old')
  const recent = await dashboard.platform.project(person, 'recent')
  const page = await dashboard.openAs(person)
  const cards = page.getByRole('list', { name: 'Projects' }).getByRole('listitem')
  await page.getByRole('button', { name: `Star ${old.name}` }).click()
  await expect.poll(() => cards.first().textContent()).toContain(old.name)

  const elsewhere = await dashboard.openAs(person)
  const there = elsewhere.getByRole('list', { name: 'Projects' }).getByRole('listitem')
  await expect.poll(() => there.first().textContent()).toContain(old.name)
  await elsewhere.getByRole('button', { name: `Remove the star from ${old.name}` }).click()
  await expect.poll(() => there.first().textContent()).toContain(recent.name)
})

it('the dashboard says that a project or a page does not exist', async () => {
  const page = await dashboard.openAs(await dashboard.platform.person(), '/projects/nobodys')
  await page.getByText('There is no project “nobodys”').waitFor()
  await page.goto(`${dashboard.platform.dashboardUrl}/no/such/page`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
})

it('the dashboard says when the platform stops answering, and goes on by itself when it is back', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(person)
  await page.getByRole('link', { name, exact: true }).waitFor()
  const api = (url: URL) => url.hostname === 'localhost'
  await page.route(api, route => route.abort())
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { name: 'The platform does not answer' }).waitFor()
  await page.getByText('What you see may be out of date').waitFor()
  expect(await page.getByText('stay live').count()).toBe(0)
  await page.getByRole('heading', { name, level: 1 }).waitFor()

  await page.unroute(api)
  await page.getByRole('region', { name: 'Live deployment' }).waitFor()
  await page.getByText('What you see may be out of date').waitFor({ state: 'detached' })
})

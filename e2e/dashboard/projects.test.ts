// The list of projects, and making one.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('the dashboard shows the first steps to an account without projects, and the rules of a name while it is typed', async () => {
  const page = await dashboard.openAs(await dashboard.platform.person())
  await page.getByText('svc deploy ./dist').waitFor()
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

it('the dashboard lists projects, newest first, and more when asked', async () => {
  const person = await dashboard.platform.person()
  const made: string[] = []
  for (let count = 0; count < 21; count += 1) made.unshift((await dashboard.platform.project(person)).name)
  const live = await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(person)
  const rows = page.getByRole('main').getByRole('listitem')
  await page.getByRole('link', { name: live.name, exact: true }).waitFor()
  expect(await rows.count()).toBe(20)
  expect(await rows.first().textContent()).toMatch(new RegExp(`^${live.name}[\\s\\S]*Live$`))
  await page.getByRole('button', { name: 'Load more' }).click()
  await page.getByRole('link', { name: made.at(-1)!, exact: true }).waitFor()
  expect(await rows.count()).toBe(22)
  await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' })
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
  await page.getByRole('heading', { name, level: 1 }).waitFor()

  await page.unroute(api)
  await page.getByRole('region', { name: 'Live deployment' }).waitFor()
  await page.getByText('What you see may be out of date').waitFor({ state: 'detached' })
})

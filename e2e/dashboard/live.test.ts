// What happens elsewhere shows at once. None of these pages polls, so what they show came with an event.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('a project and a deployment that are made elsewhere appear on the open pages', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'one')
  const list = await dashboard.openAs(person)
  await list.getByRole('link', { name, exact: true }).waitFor()
  const overview = await dashboard.openAs(person, `/projects/${name}`)
  const live = overview.getByRole('region', { name: 'Live deployment' })
  await live.getByText(`by ${person.login}`).waitFor()

  const other = await dashboard.platform.project(person)
  await list.getByRole('link', { name: other.name, exact: true }).waitFor()
  const id = await dashboard.platform.deploy(person.token, name, { 'index.html': 'two' })
  await live.getByRole('link', { name: id, exact: true }).waitFor()
})

it('a scheduled job that is made elsewhere appears, and a deleted project goes', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'one')
  const page = await dashboard.openAs(person, `/projects/${name}/crons`)
  const list = await dashboard.openAs(person)
  await list.getByRole('link', { name, exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Crons' }).waitFor()
  const call = dashboard.platform.client(person.token)
  const body = { schedule: '0 0 1 1 *', path: '/made-elsewhere' }
  await call('POST /projects/:name/crons', { params: { name }, body })
  await page.getByText('/made-elsewhere').first().waitFor()
  await call('DELETE /projects/:name', { params: { name } })
  await list.getByRole('link', { name, exact: true }).waitFor({ state: 'detached' })
})

it('one connection serves the tab, and a revoked token signs out', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'one')
  const call = dashboard.platform.client(person.token)
  const own = await call('POST /tokens', { body: { kind: 'cli', label: 'a browser' } })
  const page = await dashboard.openAs({ ...person, token: own.token })
  let streams = 0
  page.on('request', request => {
    if (new URL(request.url()).pathname === '/events') streams += 1
  })
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('heading', { name: 'Delete project' }).waitFor()
  expect(streams).toBeLessThanOrEqual(1)
  await call('DELETE /tokens/:id', { params: { id: own.id } })
  // The next event finds the token revoked.
  await dashboard.platform.project(person)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
})

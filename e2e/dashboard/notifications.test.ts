// Where notifications go, and what happened last in a workspace, in the browser.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('the address and the events of a target are changed in its dialog, which stays open after an error', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person, 'hello')
  const call = dashboard.platform.client(person.token)
  const params = { name }
  const body = {
    kind: 'webhook' as const,
    address: 'https://example.com/old',
    events: ['deploy.failed' as const],
  }
  await call('POST /projects/:name/notifications', { params, body })
  const targets = async () => (await call('GET /projects/:name/notifications', { params })).targets

  const page = await dashboard.openAs(person, `/projects/${name}/notifications`)
  const row = page.getByRole('listitem').filter({ hasText: 'https://example.com/' })
  await row.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  const address = dialog.getByLabel('URL')
  expect(await address.inputValue()).toBe('https://example.com/old')
  const failed = dialog.getByRole('checkbox', { checked: true })
  expect(await failed.count()).toBe(1)
  // Without an event nothing would ever be sent.
  await failed.click()
  expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await dialog.getByRole('group', { name: 'Notify when' }).getByRole('checkbox').last().click()

  await address.fill('no URL')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await targets()).toMatchObject([{ address: 'https://example.com/old', events: ['deploy.failed'] }])
  await address.fill('https://example.com/new')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await row.getByText('https://example.com/new').waitFor()
  const [changed] = await targets()
  expect(changed?.address).toBe('https://example.com/new')
  expect(changed?.events).not.toContain('deploy.failed')
})

it('the list of projects shows the last deployments and changes of the workspace, and new ones as they happen', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'hello')
  const call = dashboard.platform.client(person.token)
  const params = { name }
  const page = await dashboard.openAs(person, '/')
  const activity = page.getByRole('region', { name: 'Recent activity' }).getByRole('listitem')
  await activity.getByRole('link', { name }).waitFor()
  await call('POST /projects/:name/crons', { params, body: { schedule: '0 9 * * 1', path: '/report' } })
  await activity.filter({ hasText: person.login }).filter({ hasText: '/report' }).waitFor()
})

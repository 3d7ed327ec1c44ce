// Finding deployments in the dashboard: filters, pages that load while scrolling, one deployment, its files.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('the dashboard finds deployments beyond the most recent ones by scrolling and by filter', async () => {
  const person = await dashboard.platform.owner()
  const contents = Array.from({ length: 60 }, (_, n) => `version ${n}`)
  const { name, deployments } = await dashboard.platform.project(person, ...contents)
  const page = await dashboard.openAs(person, `/projects/${name}/deployments`)
  await page.getByRole('link', { name: deployments.at(-1)!, exact: true }).waitFor()
  // The end of the list loads more rows whenever it comes into view.
  const oldest = page.getByRole('link', { name: deployments[0]!, exact: true })
  while ((await oldest.count()) === 0) await page.mouse.wheel(0, 2000)
  await page.getByLabel('Status').selectOption('live')
  await page.getByRole('link', { name: deployments[0]!, exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: deployments.at(-1)!, exact: true }).waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  expect(new URL(page.url()).search).toBe('?status=live')
  await page.reload()
  await page.getByRole('link', { name: deployments.at(-1)!, exact: true }).waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  await page.getByLabel('Branch').fill('none')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('No deployment matches').waitFor()
  await page.getByRole('button', { name: 'Show all deployments' }).click()
  await page.getByRole('link', { name: deployments.at(-2)!, exact: true }).waitFor()
})

it('the dashboard shows one deployment, what changed since the one before, and rolls back to it', async () => {
  const person = await dashboard.platform.owner()
  const { name, deployments } = await dashboard.platform.project(person, 'one', 'two', 'three')
  const [first, second] = deployments
  const page = await dashboard.openAs(person, `/projects/${name}`)
  // The card of the live deployment also has a link to it.
  await page.getByRole('table').getByRole('link', { name: second!, exact: true }).click()
  await page.getByText('Permanent URL').waitFor()
  await page.getByRole('link', { name: first!, exact: true }).waitFor()
  await page.getByRole('link', { name: 'Files', exact: true }).click()
  await page.getByText('0 files added, 1 changed, 0 removed.').waitFor()
  await page.getByLabel('Which files').selectOption('')
  await page.getByText('index.html').waitFor()
  await page.getByRole('button', { name: 'Roll back to this' }).click()
  await page.getByText(`${second} is live.`).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(`${deployments[2]} is live.`).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete deployment' }).click()
  await page.getByText(`${second} was deleted.`).waitFor()
  expect(page.url()).toMatch(new RegExp(`/projects/${name}/deployments$`))
})

it('the dashboard says that a deployment does not exist', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person, 'one')
  const page = await dashboard.openAs(person, `/projects/${name}/deployments/dep_0000000000000000`)
  await page.getByRole('heading', { name: 'Deployment not found' }).waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Go to the deployments' }).click()
  await page.getByRole('table').waitFor()
  await page.goto(`${dashboard.platform.dashboardUrl}/projects/${name}/git/bld_0000000000000000`)
  await page.getByRole('heading', { name: 'Build not found' }).waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
})

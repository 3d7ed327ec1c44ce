// The overview of a project: what is live, where it came from, and the way back.
import { expect, it } from 'vitest'
import { useDashboard, visit } from './dashboard.ts'

const dashboard = useDashboard()

it('the overview shows the live site, its URL, who deployed it and from what', async () => {
  const person = await dashboard.platform.person()
  const { name, deployments } = await dashboard.platform.project(person, 'the first site')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const live = page.getByRole('region', { name: 'Live deployment' })
  await live.getByText(`by ${person.login}`).waitFor()
  await live.getByText('Uploaded through the API').waitFor()
  await live.getByText('0 visitors today').waitFor()
  await live.getByRole('link', { name: new RegExp(`^${name}\\.localhost`) }).waitFor()
  await live.getByRole('link', { name: deployments[0]!, exact: true }).click()
  await page.getByText('Permanent URL').waitFor()
  expect(new URL(page.url()).pathname).toBe(`/projects/${name}/deployments/${deployments[0]}`)
})

it('the dashboard itself asks nothing of a site: only visits count as requests and bandwidth', async () => {
  const person = await dashboard.platform.person()
  const { name, url } = await dashboard.platform.project(person, 'a site')
  const page = await dashboard.openAs(person)
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('region', { name: 'Live deployment' }).getByText(`by ${person.login}`).waitFor()
  expect(await visit(page, `${url}/?visit`)).toBe('a site')
  const stats = () =>
    dashboard.platform.client(person.token)('GET /projects/:name/stats', { params: { name } })
  await expect.poll(async () => (await stats()).totals.requests, { timeout: 30_000 }).toBeGreaterThan(0)
  const paths = (await stats()).top_paths.map(({ path, requests }) => [path, requests])
  // Browsers ask for the icon by themselves.
  expect(paths.filter(([path]) => path !== '/favicon.ico')).toEqual([['/', 1]])
})

it('the overview names the deployment that was live before, and goes back to it', async () => {
  const person = await dashboard.platform.person()
  const { name, deployments } = await dashboard.platform.project(person, 'one', 'two')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const live = page.getByRole('region', { name: 'Live deployment' })
  await live.getByText(deployments[0]!).waitFor()
  await live.getByRole('button', { name: 'Roll back' }).click()
  await page.getByText(`${deployments[0]} is live.`).waitFor()
  await live.getByRole('link', { name: deployments[0]!, exact: true }).waitFor()
})

it('the overview shows a domain as a URL of the site only if it leads here', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'a site')
  const call = dashboard.platform.client(person.token)
  const domain = 'nowhere.invalid'
  await call('POST /projects/:name/domains', { params: { name }, body: { domain } })
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const live = page.getByRole('region', { name: 'Live deployment' })
  await live.getByText(domain).waitFor()
  await live.getByRole('link', { name: 'Set up its DNS' }).waitFor()
  expect(await live.getByRole('link', { name: domain }).count()).toBe(0)
})

it('the overview shows the URL of the site in one line on a phone', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'a site')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.setViewportSize({ width: 390, height: 844 })
  const live = page.getByRole('region', { name: 'Live deployment' })
  const link = live.getByRole('link', { name: new RegExp(`^${name}\\.localhost`) })
  const [height, line] = await link.evaluate(element => [
    element.getBoundingClientRect().height,
    Number.parseFloat(getComputedStyle(element).lineHeight),
  ])
  expect(height).toBeLessThan(1.5 * line!)
})

it('the overview of a live project names next steps, which go away when they are done or hidden', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'a site')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const steps = page.getByRole('region', { name: 'Next steps' })
  await steps.getByRole('link', { name: 'Deploy with every push' }).waitFor()
  // The platform of the tests issues no certificates, and promises none.
  await steps.getByText('One DNS record leads it here.').waitFor()
  await steps.getByRole('link', { name: 'Use a domain of your own' }).click()
  await page.waitForURL(/\/domains$/)

  const call = dashboard.platform.client(person.token)
  const params = { name }
  await call('POST /projects/:name/domains', { params, body: { domain: `${name}.example.org` } })
  await page.goto(`${dashboard.platform.dashboardUrl}/projects/${name}`)
  await steps.getByRole('link', { name: 'Deploy with every push' }).waitFor()
  expect(await steps.getByRole('link').count()).toBe(1)

  await steps.getByRole('button', { name: 'Hide' }).click()
  await steps.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('region', { name: 'Live deployment' }).waitFor()
  expect(await steps.count()).toBe(0)
})

it('the overview of a project without a deployment names no next steps', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person)
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByText('Or from your terminal').waitFor()
  expect(await page.getByRole('region', { name: 'Next steps' }).count()).toBe(0)
})

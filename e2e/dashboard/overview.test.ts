// The overview of a project: what is live, where it came from, and the way back.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('the overview shows a picture of the live site, its URL, who deployed it and from what', async () => {
  const person = await dashboard.platform.person()
  const { name, deployments } = await dashboard.platform.project(person, 'the first site')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const live = page.getByRole('region', { name: 'Live deployment' })
  await live.getByText(`by ${person.login}`).waitFor()
  await live.getByText('Uploaded through the API').waitFor()
  await live.getByText('0 visitors today').waitFor()
  await live.getByRole('link', { name: new RegExp(`^${name}\\.localhost`) }).waitFor()
  await live.frameLocator('iframe').getByText('the first site').waitFor()
  const frame = live.locator('iframe')
  expect(await frame.getAttribute('sandbox')).toBe('allow-scripts')
  expect(await frame.getAttribute('src')).toContain(deployments[0]!.replace('_', '-'))
})

it('the overview names the deployment that was live before, and goes back to it', async () => {
  const person = await dashboard.platform.person()
  const { name, deployments } = await dashboard.platform.project(person, 'one', 'two')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const live = page.getByRole('region', { name: 'Live deployment' })
  await live.getByText(deployments[0]!).waitFor()
  await live.getByRole('button', { name: 'Roll back' }).click()
  await page.getByText(`${deployments[0]} is live.`).waitFor()
  await live.frameLocator('iframe').getByText('one').waitFor()
})

it('the overview shows no frame of a protected site', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'a secret')
  await dashboard.platform.client(person.token)('PUT /projects/:name/access', {
    params: { name },
    body: { mode: 'password', password: 'a long password' },
  })
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const live = page.getByRole('region', { name: 'Live deployment' })
  await live.getByText(`by ${person.login}`).waitFor()
  expect(await live.locator('iframe').count()).toBe(0)
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

it('the overview shows in its frame that a site has no front page', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person)
  await dashboard.platform.deploy(person.token, name, { 'prices.csv': 'a,b' })
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const live = page.getByRole('region', { name: 'Live deployment' })
  await live.frameLocator('iframe').getByRole('heading', { name: 'Page not found' }).waitFor()
})

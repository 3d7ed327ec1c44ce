// The custom domains of a project: added, explained, pointed at a branch, looked at again and removed.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'
import { nameless } from './sanity.ts'

const dashboard = useDashboard()

it('the dashboard adds, explains, retargets and removes domains', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person, 'hello')
  const call = dashboard.platform.client(person.token)
  const stored = async () => {
    const { domains } = await call('GET /projects/:name', { params: { name } })
    return domains.map(({ domain, branch }) => [domain, branch])
  }
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Domains' }).click()
  await page.getByText('No domains yet').waitFor()

  await page.getByRole('button', { name: 'Add domain' }).click()
  await page.getByRole('textbox', { name: 'Domain' }).fill('localhost')
  await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click()
  await page.getByText('Enter a whole name').waitFor()
  await page.getByRole('textbox', { name: 'Domain' }).fill('https://WWW.shop.invalid/')
  await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click()
  await page.getByText('www.shop.invalid was added.').waitFor()
  expect(await stored()).toEqual([['www.shop.invalid', null]])

  const card = page.getByRole('article', { name: 'www.shop.invalid' })
  await card.getByText('No certificate', { exact: true }).waitFor()
  await card.getByText('Create this record at your DNS provider').waitFor()
  expect(await card.getByRole('row').last().textContent()).toContain('CNAMEwww.shop.invalidedge.localhost')
  await card.getByRole('button', { name: 'Copy the value edge.localhost' }).waitFor()
  await card.getByText('no record').waitFor()
  expect(await page.evaluate(nameless)).toEqual([])

  await card.getByRole('button', { name: 'Change what www.shop.invalid shows' }).click()
  await page.getByLabel('Branch').fill('main')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText("'main' is the production branch.").waitFor()
  await page.getByLabel('Branch').fill('next')
  await page.getByRole('button', { name: 'Save' }).click()
  await card.getByText('Shows the branch next').waitFor()
  expect(await stored()).toEqual([['www.shop.invalid', 'next']])

  await call('POST /projects/:name/domains', { params: { name }, body: { domain: 'shop.invalid' } })
  await page.reload()
  const bare = page.getByRole('article', { name: 'shop.invalid', exact: true })
  await bare.getByRole('button', { name: 'Make primary' }).click()
  await bare.getByText('Primary', { exact: true }).waitFor()
  await card.getByRole('button', { name: 'Change what www.shop.invalid shows' }).click()
  await page.getByLabel('Visitors').selectOption('are redirected to shop.invalid')
  await page.getByRole('button', { name: 'Save' }).click()
  await card.getByText('Redirects to shop.invalid').waitFor()
  await bare.getByRole('button', { name: 'Remove shop.invalid' }).click()
  await page.getByRole('button', { name: 'Remove domain' }).click()
  await bare.waitFor({ state: 'detached' })

  await card.getByRole('button', { name: 'Remove www.shop.invalid' }).click()
  await page.getByRole('button', { name: 'Remove domain' }).click()
  await page.getByText('No domains yet').waitFor()
  expect(await stored()).toEqual([])
})

/** A project with this many domains, whose DNS has nothing. */
async function withDomains(count: number) {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person, 'hello')
  const call = dashboard.platform.client(person.token)
  for (let i = 1; i <= count; i++)
    await call('POST /projects/:name/domains', {
      params: { name },
      body: { domain: `www.${name}-${i}.example` },
    })
  return { person, name }
}

it('the overview names the first domains, and says how many more there are', async () => {
  const { person, name } = await withDomains(6)
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByText(`www.${name}-4.example`, { exact: true }).waitFor()
  expect(await page.getByText(`www.${name}-5.example`, { exact: true }).count()).toBe(0)
  await page.getByRole('link', { name: '2 more domains' }).click()
  await page.getByRole('article', { name: `www.${name}-6.example` }).waitFor()
})

it('many domains with slow DNS do not keep the dashboard from showing another page', async () => {
  const { person, name } = await withDomains(8)
  const page = await dashboard.openAs(person, `/projects/${name}/deployments`)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Domains' }).waitFor()
  let asked = 0
  // These requests are never answered.
  await page.route('**/certificate', () => {
    asked += 1
  })
  await page.getByRole('link', { name: 'Domains' }).click()
  await page.getByRole('article', { name: `www.${name}-8.example` }).waitFor()
  await page.getByRole('link', { name: 'Environment' }).click()
  await page.getByText('No variables yet').waitFor()
  expect(asked).toBe(3)
})

// The command palette and the keyboard shortcuts.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('the palette finds projects, pages and actions, and is a combobox', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(person, '/projects')
  await page.getByRole('link', { name, exact: true }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search projects, pages and actions' })
  await field.fill('roll back')
  await page.getByText('Nothing matches “roll back”. Open a project to act on it.').waitFor()
  await field.fill('')
  await field.pressSequentially(name)
  const option = page.getByRole('option', { name, selected: true })
  await option.waitFor()
  expect(await field.getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'))
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Live deployment' }).waitFor()
  await expect.poll(() => page.getByRole('combobox').count()).toBe(0)

  await page.getByRole('button', { name: 'Search' }).click()
  await field.fill('deploym')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/projects/${name}/deployments`)

  await page.keyboard.press('Control+k')
  await field.fill('metrics')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/projects/${name}/metrics`)

  await page.keyboard.press('Control+k')
  await field.fill('no such thing at all')
  await page.getByText('Nothing matches “no such thing at all”.', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await field.fill('theme: dark')
  await page.keyboard.press('Enter')
  await page.locator(':root[data-theme=dark]').waitFor()

  await page.keyboard.press('Control+k')
  await field.fill('new project')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New project' }).waitFor()
})

it('the palette keeps what is typed before its code is there', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/')
  await page.getByRole('button', { name: 'Search' }).waitFor()
  let release = (): void => undefined
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  await page.route('**/assets/palette-*.js', async route => {
    await held
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('theme: darx')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('k')
  release()
  const field = page.getByRole('combobox', { name: 'Search projects, pages and actions' })
  await field.waitFor()
  expect(await field.inputValue()).toBe('theme: dark')
  await page.keyboard.press('Enter')
  await page.locator(':root[data-theme=dark]').waitFor()
})

it('the palette acts on the open project: rolls back, opens a deployment by its id, adds a domain, a variable and a member', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'first')
  await dashboard.platform.deploy(person.token, name, { 'index.html': 'second' })
  const call = dashboard.platform.client(person.token)
  const org = `${name}-team`
  await call('POST /orgs', { body: { name: org } })
  const before = (await call('GET /projects/:name', { params: { name } })).deployments[1]?.id ?? ''
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByRole('region', { name: 'Live deployment' }).waitFor()
  async function choose(typed: string) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search projects, pages and actions' }).fill(typed)
    await page.keyboard.press('Enter')
  }
  await choose('roll back')
  await page.getByText(`${before} is live.`).waitFor()
  expect((await call('GET /projects/:name', { params: { name } })).active_deployment_id).toBe(before)
  await choose(before)
  await page.waitForURL(`**/projects/${name}/deployments/${before}`)
  await expect.poll(() => page.title()).toBe(`Deployment ${before} of ${name} · svc`)
  for (const [typed, title] of [
    ['add a domain', 'Add a domain'],
    ['add a variable', 'Add a variable'],
    ['add a variable', 'Add a variable'],
    [`invite someone to ${org}`, `Invite to ${org}`],
  ] as const) {
    await choose(typed)
    await page.getByRole('dialog', { name: title }).waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
})

it('the arrow keys go round, and the chosen option follows', async () => {
  const page = await dashboard.openAs(await dashboard.platform.person())
  await page.getByRole('button', { name: 'Search' }).click()
  const chosen = page.getByRole('option', { selected: true })
  const first = await chosen.textContent()
  await page.keyboard.press('ArrowUp')
  const last = await page.getByRole('option').last().textContent()
  expect(await chosen.textContent()).toBe(last)
  await page.keyboard.press('ArrowDown')
  expect(await chosen.textContent()).toBe(first)
})

it('g and a letter open a page, ? lists the shortcuts, and typing in a field triggers none', async () => {
  const person = await dashboard.platform.person()
  const { name } = await dashboard.platform.project(person, 'hello')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByRole('region', { name: 'Live deployment' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await page.waitForURL(`**/projects/${name}/environment`)
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByRole('button', { name: 'New project' }).first().click()
  await page.getByLabel('Name').pressSequentially('gpd')
  expect(await page.getByLabel('Name').inputValue()).toBe('gpd')
  expect(new URL(page.url()).pathname).toBe('/')
})

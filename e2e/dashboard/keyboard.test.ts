// The dashboard without a mouse: menus, dialogs and tooltips, and where the focus is afterwards.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useDashboard, visit } from './dashboard.ts'
import { folderWith } from './platform.ts'

const dashboard = useDashboard()

/** Waits until the element with the focus has this name, by its label or its text. */
const waitForFocus = (page: Page, name: string) =>
  page.waitForFunction(name => {
    const focused = document.activeElement
    return (focused?.ariaLabel ?? focused?.textContent)?.trim() === name
  }, name)

it('the arrow keys, Home and End move in a menu, and Escape closes it and returns the focus', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person)
  const menu = page.getByRole('button', { name: /^Account: / })
  await menu.focus()
  await page.keyboard.press('ArrowDown')
  await waitForFocus(page, 'Temporary shares')
  await page.keyboard.press('ArrowDown')
  await waitForFocus(page, 'Account')
  await page.keyboard.press('End')
  await waitForFocus(page, 'Sign out')
  await page.keyboard.press('ArrowDown')
  await waitForFocus(page, 'Temporary shares')
  await page.keyboard.press('ArrowUp')
  await waitForFocus(page, 'Sign out')
  await page.keyboard.press('ArrowUp')
  await waitForFocus(page, 'Docs for this page')
  await page.keyboard.press('Home')
  await waitForFocus(page, 'Temporary shares')
  await page.keyboard.press('Escape')
  expect(await menu.getAttribute('aria-expanded')).toBe('false')
  expect(await menu.evaluate(button => button === document.activeElement)).toBe(true)

  await page.keyboard.press('ArrowUp')
  await waitForFocus(page, 'Sign out')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await waitForFocus(page, 'Account')
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
})

it('the focus goes to the heading of the list when the row that had it is deleted', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person, 'page')
  const call = dashboard.platform.client(person.token)
  for (const key of ['FIRST', 'SECOND'])
    await call('PUT /projects/:name/env/:key', { params: { name, key }, body: { value: 'x' } })
  const page = await dashboard.openAs(person, `/projects/${name}/environment`)
  const button = page.getByRole('button', { name: 'Remove FIRST' })
  await button.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await button.evaluate(button => button === document.activeElement)).toBe(true)

  await page.keyboard.press('Enter')
  await dialog.waitFor()
  await dialog.locator('button[type=submit]').press('Enter')
  await button.waitFor({ state: 'detached' })
  await waitForFocus(page, 'Environment variables')
})

it('a tooltip shows on hover and on focus, names what it describes, and Escape closes it', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person, 'page')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const tooltip = page.getByRole('tooltip')
  const badge = page.getByLabel('Live deployment').getByText('Live', { exact: true })
  await badge.hover()
  await tooltip.getByText('This is what visitors see').waitFor()
  expect(await page.locator('[aria-describedby=tooltip]').textContent()).toBe('Live')
  await tooltip.hover()
  await page.keyboard.press('Escape')
  await tooltip.waitFor({ state: 'detached' })
  expect(await page.locator('[aria-describedby=tooltip]').count()).toBe(0)

  const copy = page.getByRole('button', { name: 'Copy the site’s URL' })
  await page.getByRole('main').getByRole('link').first().focus()
  await page.keyboard.press('Tab')
  expect(await copy.evaluate(button => button === document.activeElement)).toBe(true)
  await tooltip.getByText('Copy the site’s URL').waitFor()
  await page.keyboard.press('Tab')
  await tooltip.waitFor({ state: 'detached' })
})

it('the palette opens a page without a mouse, and Escape returns the focus', async () => {
  const page = await dashboard.openAs(await dashboard.platform.person())
  const menu = page.getByRole('button', { name: /^Account: / })
  await menu.focus()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  await palette.waitFor()
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  expect(await menu.evaluate(button => button === document.activeElement)).toBe(true)
  await page.keyboard.press('Control+k')
  await palette.getByRole('option').first().waitFor()
  await page.keyboard.type('access tokens')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/tokens')
})

it('a site is chosen and deployed without a mouse, and a key stops the countdown', async () => {
  const person = await dashboard.platform.owner()
  const { name, url } = await dashboard.platform.project(person, 'before')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const choose = page.getByRole('button', { name: 'Choose folder' })
  const sheet = page.getByRole('dialog')
  const picker = page.locator('input[webkitdirectory]')
  const offer = async () => {
    await picker.setInputFiles(await folderWith({ 'index.html': 'after' }))
    // React waits a moment before it shows the sheet. Much less than a second of the countdown passes.
    await expect.poll(() => page.clock.runFor(50).then(() => sheet.isVisible())).toBe(true)
  }
  await choose.waitFor()
  await picker.evaluate(input => input.addEventListener('click', () => input.toggleAttribute('data-opened')))
  await choose.press('Enter')
  await expect.poll(() => picker.getAttribute('data-opened')).toBe('')
  // The countdown does not run before the test has pressed its key.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await offer()
  await sheet.getByText('Deploys in 3 s').waitFor()
  await page.keyboard.press('Tab')
  await sheet.getByText('Deploys in').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  expect(await choose.evaluate(button => button === document.activeElement)).toBe(true)
  expect(await visit(page, url)).toBe('before')

  await offer()
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('radio')
  for (const stop of ['Cancel', 'Deploy']) {
    await page.keyboard.press('Tab')
    await waitForFocus(page, stop)
  }
  await page.keyboard.press('Enter')
  await sheet.waitFor({ state: 'detached' })
  await page.clock.resume()
  await page.getByText('Before, they saw').waitFor()
  expect(await visit(page, url)).toBe('after')
})

it('the arrow keys move between the requests of a log, and Tab leaves them', async () => {
  const person = await dashboard.platform.owner()
  const { name, url } = await dashboard.platform.project(person, 'page')
  // No other request matches, so no row moves while the test counts them.
  const page = await dashboard.openAs(person, `/projects/${name}/logs/requests?path=/row-`)
  for (const row of [1, 2, 3]) await visit(page, new URL(`/row-${row}`, url).href)
  const box = page.getByRole('log', { name: 'Requests' })
  const rows = box.locator('[data-status]')
  await rows.nth(2).waitFor()
  const isFocused = (place: ReturnType<typeof box.locator>) =>
    expect.poll(() => place.evaluate(element => element === document.activeElement)).toBe(true)
  await box.focus()
  await page.keyboard.press('ArrowDown')
  await isFocused(rows.nth(0).getByRole('button').first())
  await page.keyboard.press('ArrowDown')
  await isFocused(rows.nth(1).getByRole('button').first())
  await page.keyboard.press('Enter')
  await rows.nth(1).locator('dd').first().waitFor()
  await page.keyboard.press('Tab')
  await isFocused(rows.nth(1).locator('dd').getByRole('button').first())
  await page.keyboard.press('ArrowUp')
  await isFocused(rows.nth(0).getByRole('button').first())
  await page.keyboard.press('ArrowUp')
  await isFocused(box)
  await page.keyboard.press('Shift+Tab')
  expect(await box.evaluate(element => element.contains(document.activeElement))).toBe(false)
})

it('the skip link leads past the navigation', async () => {
  const page = await dashboard.openAs(await dashboard.platform.person())
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Tab')
  await waitForFocus(page, 'Skip to content')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
})

// The dashboard without a mouse: menus, dialogs and tooltips, and where the focus is afterwards.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

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

it('the skip link leads past the navigation', async () => {
  const page = await dashboard.openAs(await dashboard.platform.person())
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Tab')
  await waitForFocus(page, 'Skip to content')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
})

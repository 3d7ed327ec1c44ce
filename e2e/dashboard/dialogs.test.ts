// Dialogs and toasts: neither takes away what a person typed or is about to press.
import { expect, it } from 'vitest'
import { useDashboard, visit } from './dashboard.ts'

const dashboard = useDashboard()
const outside = { x: 5, y: 5 }

it('a press outside closes an untouched dialog, and keeps one with typed text open', async () => {
  const page = await dashboard.openAs(await dashboard.platform.person())
  const open = page.getByRole('button', { name: 'New project' })
  const dialog = page.getByRole('dialog')
  await open.click()
  await dialog.waitFor()
  await page.mouse.click(outside.x, outside.y)
  await dialog.waitFor({ state: 'detached' })

  await open.click()
  await dialog.getByLabel('Name').fill('typed')
  await page.mouse.click(outside.x, outside.y)
  expect(await dialog.getByLabel('Name').inputValue()).toBe('typed')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

it('a toast waits under the pointer, and its Undo stays for ten seconds', async () => {
  const person = await dashboard.platform.owner()
  const { name, url, deployments } = await dashboard.platform.project(person, 'one', 'two')
  const page = await dashboard.openAs(person, `/projects/${name}`)
  const rollBack = page.getByRole('button', { name: `Roll back to ${deployments[0]}` })
  await rollBack.waitFor()
  const now = await page.evaluate(() => Date.now())
  await page.clock.install({ time: now })
  await page.clock.pauseAt(now + 1000)
  await rollBack.click()
  const toast = page.getByRole('list', { name: 'Notifications' }).getByRole('listitem')
  await toast.getByText(`${deployments[0]} is live.`).waitFor()
  await page.clock.runFor(9_000)
  const undo = toast.getByRole('button', { name: 'Undo' })
  await undo.hover()
  await page.clock.runFor(60_000)
  await undo.click()
  await toast.getByText(`${deployments[1]} is live.`).waitFor()
  expect(await visit(page, url)).toBe('two')

  await page.mouse.move(outside.x, outside.y)
  await page.getByRole('heading', { name, level: 1 }).click()
  await page.clock.runFor(12_000)
  await toast.waitFor({ state: 'detached' })
})

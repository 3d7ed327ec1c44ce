// Brings pages into states that no URL names: dialogs, menus, sheets and toasts.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { drop } from '../dashboard/drop.ts'

type Prepare = (page: Page) => Promise<void>

export const openDialog =
  (button: string | RegExp): Prepare =>
  async page => {
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').waitFor()
  }

export const openByKey =
  (key: string, typed = ''): Prepare =>
  async page => {
    await page.keyboard.press(key)
    await page.getByRole('dialog').waitFor()
    if (typed) await page.keyboard.type(typed)
  }

/** The dialog with the QR code. Nothing is turned on. */
export const setUpAuthenticator =
  (password: string): Prepare =>
  async page => {
    await openDialog('Set up')(page)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Your password').fill(password)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByLabel('Code', { exact: true }).waitFor()
  }

/** The sheet of a drop that looks wrong: it stays open until it is answered. */
export const dropSources: Prepare = async page => {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-drop-'))
  try {
    await writeFile(path.join(folder, 'package.json'), '{ "scripts": { "build": "vite build" } }')
    await writeFile(path.join(folder, 'index.html'), '<script type="module" src="/src/main.ts"></script>')
    await drop(page, folder)
    await page.getByRole('button', { name: 'Deploy anyway' }).waitFor()
  } finally {
    await rm(folder, { recursive: true })
  }
}

export const rollBack: Prepare = async page => {
  await page.getByRole('button', { name: 'Roll back', exact: true }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
}

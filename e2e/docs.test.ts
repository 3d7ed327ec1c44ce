// The docs of a platform in a real browser: search, themes, narrow screens, accessibility.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { launchBrowser, openContext } from './browser.ts'
import { Machine, type Svcd } from './svcd.ts'

let machine: Machine
let svcd: Svcd
let browser: Browser
beforeAll(async () => {
  machine = await Machine.make()
  ;[svcd, browser] = await Promise.all([machine.start(), launchBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await svcd?.stop()
  await machine?.remove()
})

const docsUrl = () => `http://docs.localhost:${svcd.port}`

/** Opens a page. What it asks other hosts for, and what its policy refuses, is a problem. */
async function open(path: string, look: { width?: number; theme?: 'light' | 'dark' } = {}) {
  const context = await openContext(browser, {
    viewport: { width: look.width ?? 1280, height: 800 },
    colorScheme: look.theme ?? 'light',
  })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const problems: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(`${docsUrl()}/`)) problems.push(request.url())
  })
  page.on('console', message => void (message.type() === 'error' && problems.push(message.text())))
  page.on('pageerror', error => void problems.push(String(error)))
  await page.goto(docsUrl() + path)
  return { page, problems }
}

test('somebody who types a question gets to the section that answers it, with the keyboard alone', async () => {
  const { page, problems } = await open('/')
  await page.keyboard.press('/')
  await page.keyboard.type('apex domain')
  await page
    .getByRole('status')
    .getByRole('link', { name: /the bare domain/ })
    .first()
    .waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${docsUrl()}/domains#www-the-bare-domain-and-the-primary-domain`)
  expect(problems).toEqual([])
})

test('a result of the search shows the found words in their sentence', async () => {
  const { page, problems } = await open('/')
  await page.getByRole('searchbox').fill('apex domain')
  await page.locator('#results .excerpt mark').first().waitFor()
  expect(await page.locator('#results .excerpt').first().textContent()).toMatch(/apex|domain/i)
  expect(problems).toEqual([])
})

test('a search that finds nothing says so', async () => {
  const { page } = await open('/cli')
  await page.getByRole('searchbox').fill('qqqqzzzz')
  await page.getByText('Nothing about “qqqqzzzz”.').waitFor()
  await page.keyboard.press('Escape')
})

test('every page shows the version of the platform, and examples have its addresses', async () => {
  const { page } = await open('/ci')
  expect(await page.locator('footer').innerText()).toMatch(/svc \d+\.\d+\.\d+/)
  expect(await page.locator('pre').nth(1).innerText()).toContain(`SVC_API_URL: http://localhost:${svcd.port}`)
})

test('the theme that was chosen stays on the next page', async () => {
  const { page } = await open('/')
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
  await page.getByRole('button', { name: 'Switch between light and dark' }).click()
  expect(await scheme()).toBe('dark')
  await page.goto(`${docsUrl()}/domains`)
  expect(await scheme()).toBe('dark')
})

test('on a narrow screen the list of pages opens and leads to a page', async () => {
  const { page } = await open('/', { width: 390 })
  await page.getByText('All pages').click()
  await page.getByRole('navigation').getByRole('link', { name: 'Custom domains' }).click()
  await page.getByRole('heading', { level: 1, name: 'Custom domains' }).waitFor()
})

test('an unknown page gets 404 with the search and the list of pages', async () => {
  const { page } = await open('/cli')
  const answer = await page.goto(`${docsUrl()}/no-such-page`)
  expect(answer?.status()).toBe(404)
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'The dashboard' }).waitFor()
})

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

interface Axe {
  run(
    context: Document,
    options: object,
  ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

test.each([
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 390 },
] as const)('axe-core finds nothing, and no page is too wide, $theme at $width px', async look => {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  for (const path of [
    '/',
    '/start',
    '/cli',
    '/operations',
    '/architecture',
    '/api',
    '/api/projects',
    '/nothing',
  ]) {
    const { page } = await open(path, look)
    // A script tag would break the policy of the page.
    await page.evaluate(axe)
    const { violations } = await page.evaluate(() =>
      (window as unknown as { axe: Axe }).axe.run(document, { rules: { 'target-size': { enabled: true } } }),
    )
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html }) => `${path} ${id}: ${html}`),
    )
    expect(found).toEqual([])
    expect([path, await overflow(page)]).toEqual([path, 0])
  }
})

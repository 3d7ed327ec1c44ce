// Every page of the dashboard against axe-core: light, dark, and on a narrow screen.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from '../browser.ts'
import { changeLook, forEachAtOnce, Guide, type Look } from './guide.ts'
import { stops } from './stops.ts'
import { Workspace } from './workspace.ts'

let browser: Browser
let workspace: Workspace
beforeAll(async () => {
  ;[workspace, browser] = await Promise.all([Workspace.open(), launchBrowser()])
}, 400_000)
afterAll(async () => {
  await browser?.close()
  await workspace?.close()
})

/** Everything in the look that most people see; elsewhere only the rules that a theme or a width can break. */
const looks: { look: Look; rules?: string[] }[] = [
  { look: { theme: 'light', width: 1280 } },
  { look: { theme: 'dark', width: 1280 }, rules: ['color-contrast', 'link-in-text-block'] },
  { look: { theme: 'light', width: 390 } },
]

interface Axe {
  run(
    context: Document,
    options: object,
  ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>
}

/** What axe-core finds, one line for each element. */
async function findings(page: Page, rules: string[] | undefined): Promise<string[]> {
  const options = {
    resultTypes: ['violations'],
    // It is of WCAG 2.2, and off in axe-core unless asked for.
    rules: { 'target-size': { enabled: true } },
    ...(rules && { runOnly: { type: 'rule', values: rules } }),
  }
  const { violations } = await page.evaluate(
    options => (window as unknown as { axe: Axe }).axe.run(document, options),
    options,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html}\n${failureSummary}`),
  )
}

/** What axe-core finds again and again. A colour that changes just when axe-core looks is none that anybody reads. */
async function lastingFindings(page: Page, rules: string[] | undefined): Promise<string[]> {
  let found = await findings(page, rules)
  for (let looks = 1; looks < 4 && found.length > 0; looks++) {
    await page.waitForTimeout(300)
    found = await findings(page, rules)
  }
  return found
}

/** Ids, names and branches in a list may be of any length. */
const lengthenOptions = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const option of document.querySelectorAll('option')) option.append(' WWWWWWWW'.repeat(20))
  })

/** How far the page is wider than the screen, in pixels. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/**
 * Words before which a page has a space that does not belong there, as before a comma. In a row of flex items, the gap stands before
 * a text of its own.
 */
const straySpaces = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = document.body.innerText.match(/\S+ [,.;:!?](?=\s|$)/g) ?? []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const { parentElement, textContent } = text
      if (parentElement === null || !/^\s*[,.;:!?](?=\s|$)/.test(textContent ?? '')) continue
      const { display, columnGap } = getComputedStyle(parentElement)
      if (display.includes('flex') && Number.parseFloat(columnGap) > 0) found.push(parentElement.innerText)
    }
    return found
  })

/**
 * The links and buttons of the frame, of headings, of the navigation and of logs that are less than 24 px high. axe-core lets small
 * ones pass if they stand apart. Links within a sentence may be lower.
 */
const lowTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>(':is(header, footer, nav, [role="log"]) :is(a[href], button)')]
      .filter(target => {
        const { height, width } = target.getBoundingClientRect()
        const isInSentence = getComputedStyle(target).display === 'inline'
        return width > 1 && height > 1 && height < 23.9 && !isInSentence
      })
      .map(target => target.outerHTML.slice(0, 200)),
  )

it('axe-core finds nothing on any page, no page is wider than the screen, no button is too low, and no space stands before a comma', {
  timeout: 1_200_000,
}, async () => {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const guide = new Guide(browser, workspace)
  const found: string[] = []
  await forEachAtOnce(await stops(workspace.samples), 4, async stop => {
    await guide.show(stop, looks[0]!.look, async page => {
      await page.evaluate(axe)
      for (const { look, rules } of looks) {
        await changeLook(page, look)
        if (look.width === 390) await lengthenOptions(page)
        const where = `${stop.name} (${look.width} px, ${look.theme})`
        const findings = stop.isForWidth ? [] : await lastingFindings(page, rules)
        for (const finding of findings) found.push(`${where}: ${finding}`)
        const tooWide = await overflow(page)
        for (const words of await straySpaces(page)) found.push(`${where} has a stray space: ${words}`)
        for (const target of await lowTargets(page)) found.push(`${where} has a low target, ${target}`)
        if (tooWide > 0) found.push(`${where} is ${tooWide} px too wide.`)
      }
    })
  })
  expect(found).toEqual([])
})

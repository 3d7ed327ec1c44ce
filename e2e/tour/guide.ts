// Opens the stops of the tour in a browser, each for the right viewer and in the right look.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openContext } from '../browser.ts'
import type { Stop } from './stops.ts'
import type { Workspace } from './workspace.ts'

export interface Look {
  theme: 'light' | 'dark'
  width: 1280 | 390
}

const heights = { 1280: 800, 390: 844 }
type Storage = Awaited<ReturnType<BrowserContext['storageState']>>

export class Guide {
  readonly #browser: Browser
  readonly #workspace: Workspace
  readonly #storages = new Map<Stop['viewer'], Promise<Storage | undefined>>()

  constructor(browser: Browser, workspace: Workspace) {
    this.#browser = browser
    this.#workspace = workspace
  }

  /** Opens a stop in a tab of its own, works with it, and closes the tab. */
  async show<T>(stop: Stop, look: Look, work: (page: Page) => Promise<T>): Promise<T> {
    const context = await openContext(this.#browser, await this.#signedIn(stop.viewer))
    try {
      const page = await context.newPage()
      const broken = collectBrokenRequests(page)
      await changeLook(page, look)
      try {
        await page.goto(`${this.#workspace.dashboardUrl}${stop.path}`)
        await settled(page)
        if (stop.prepare) {
          await stop.prepare(page)
          await settled(page)
        }
      } catch (cause) {
        const text = await page.evaluate(() => document.body.innerText)
        throw new Error(`${stop.name} (${stop.path}) did not show.\n${[...broken, text].join('\n')}`, {
          cause,
        })
      }
      return await work(page)
    } finally {
      await context.close()
    }
  }

  /** Each viewer signs in once. */
  async #signedIn(viewer: Stop['viewer']): Promise<{ storageState?: Storage }> {
    if (!this.#storages.has(viewer)) this.#storages.set(viewer, this.#signIn(viewer))
    const storageState = await this.#storages.get(viewer)
    return storageState ? { storageState } : {}
  }

  async #signIn(viewer: Stop['viewer']): Promise<Storage | undefined> {
    if (viewer === 'visitor') return undefined
    const context = await openContext(this.#browser)
    const page = await context.newPage()
    await page.goto(`${this.#workspace.dashboardUrl}/#token=${this.#workspace[viewer]}`)
    await page.getByRole('main').waitFor()
    const storage = await context.storageState()
    await context.close()
    return storage
  }
}

export async function changeLook(page: Page, { theme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  await page.setViewportSize({ width, height: heights[width] })
  // The new colours and widths hold from the next frame on, and when transitions to them are over.
  await page.evaluate(async () => {
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
    const transitions = document.getAnimations().filter(each => each instanceof CSSTransition)
    await Promise.allSettled(transitions.map(each => each.finished))
  })
}

/** What the page asked for in vain, one line for each request. */
function collectBrokenRequests(page: Page): string[] {
  const broken: string[] = []
  page.on('requestfailed', request => broken.push(`${request.url()}: ${request.failure()?.errorText}`))
  page.on('pageerror', error => broken.push(`${error}`))
  return broken
}

/** Waits until the page has a heading and nothing on it is loading. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector('h1') !== null && document.querySelector('[data-loading]') === null,
  )
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
}

/** Calls `work` with each item, with at most `atOnce` calls at a time. */
export async function forEachAtOnce<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const workers = Array.from({ length: atOnce }, async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  })
  await Promise.all(workers)
}

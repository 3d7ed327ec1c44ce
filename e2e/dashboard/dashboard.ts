// Opens the dashboard in a real browser. A test fails if a page throws an error or breaks its content security policy.
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { launchBrowser, openContext } from '../browser.ts'
import { type Person, Platform } from './platform.ts'

export interface Dashboard {
  platform: Platform
  /** Opens a URL in a new browser context: nothing is stored, and nobody is signed in. */
  open(url: string): Promise<Page>
  /** Opens a page of the dashboard and signs the person in, as `svc dashboard` does. */
  openAs(person: Person, route?: string): Promise<Page>
}

// The files of one worker share these, because each takes a second or two of the processor to start.
let sharedBrowser: Promise<Browser> | undefined
let sharedPlatform: Promise<Platform> | undefined

/**
 * Gives all tests of a file a browser and a platform, which other files use, too. With an environment, the platform is their own,
 * and reads the environment when it starts. A file that needs to be first on its platform passes `{}`: the first account is an
 * admin, and one address may sign in ten times in ten minutes.
 */
export function useDashboard(environment?: Record<string, string>): Dashboard {
  let browser: Browser
  let platform: Platform
  let problems: string[] = []

  beforeAll(async () => {
    sharedBrowser ??= launchBrowser()
    if (environment === undefined) sharedPlatform ??= Platform.startUntilExit()
    const starting = environment === undefined ? sharedPlatform! : Platform.start(environment)
    ;[platform, browser] = await Promise.all([starting, sharedBrowser])
  })
  afterEach(async () => {
    const found = problems
    problems = []
    await Promise.all(browser.contexts().map(context => context.close()))
    expect(found).toEqual([])
  })
  afterAll(async () => {
    if (environment === undefined) platform?.forgetOwner()
    else await platform?.stop()
  })

  async function open(url: string): Promise<Page> {
    const page = await (await openContext(browser)).newPage()
    await listen(page, problem => problems.push(problem))
    await page.goto(url)
    return page
  }
  return {
    get platform() {
      return platform
    },
    open,
    openAs: ({ token }, route = '/') => open(`${platform.dashboardUrl}${route}#token=${token}`),
  }
}

async function listen(page: Page, reportProblem: (text: string) => void): Promise<void> {
  page.on('pageerror', error => reportProblem(`uncaught: ${error.message}`))
  page.on('console', message => {
    if (/content security policy/i.test(message.text())) reportProblem(message.text())
  })
  await page.exposeFunction('reportProblem', reportProblem)
  await page.addInitScript(() => {
    const { reportProblem } = window as unknown as { reportProblem: (text: string) => void }
    addEventListener('securitypolicyviolation', event =>
      reportProblem(`${event.violatedDirective} forbids ${event.blockedURI}`),
    )
  })
}

/** Opens a site in a new page, and returns the text that a visitor reads there. */
export async function visit(page: Page, url: string): Promise<string | null> {
  const visitor = await page.context().newPage()
  await visitor.goto(url)
  const text = await visitor.locator('body').textContent()
  await visitor.close()
  return text
}

/** Waits until the page has stored the token that it was opened with. A page that is left before that signs nobody in. */
export const signedIn = (page: Page) => page.waitForFunction(() => localStorage.getItem('svc.token') !== null)

// A real browser for tests: the Chromium of the system, driven by playwright-core.
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'

interface Tools {
  findTool(name: 'chromium' | 'chromium-headless-shell'): string | undefined
  howToGet(name: 'chromium'): string
}

const { findTool, howToGet }: Tools = await import(new URL('../../scripts/tools.mjs', import.meta.url).href)

/** The path of Chromium. Throws where there is none, so that a browser test never passes without a browser. */
export function findBrowser(): string {
  const path = findTool('chromium')
  if (path === undefined) throw new Error(howToGet('chromium'))
  return path
}

/** Starts the headless shell, which takes less processor time than all of Chromium, unless CHROME_PATH names a browser. */
export async function launchBrowser(): Promise<Browser> {
  const shell = process.env.CHROME_PATH ? undefined : findTool('chromium-headless-shell')
  const executablePath = shell ?? findBrowser()
  // Chromium's own sandbox does not work as root; the pages that tests open are ours.
  const chromiumSandbox = process.getuid?.() !== 0
  // Containers give /dev/shm as little as 64 MB, which makes tabs crash.
  return chromium.launch({ executablePath, chromiumSandbox, args: ['--disable-dev-shm-usage'] })
}

/** Opens a context in which nothing is stored. Playwright's own time limit is 30 seconds, which a busy machine exceeds. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(200_000)
  context.on('page', openAgainAfterNetworkChange)
  return context
}

const opensAtMost = 20
const networkChanged = 'net::ERR_NETWORK_CHANGED'

/**
 * Tests of containers beside this one make network interfaces. Chromium breaks off what it loads when one appears: the page,
 * or one of its scripts.
 */
function openAgainAfterNetworkChange(page: Page): void {
  let hasBroken = false
  page.on('requestfailed', request => {
    const isPart = ['script', 'stylesheet'].includes(request.resourceType())
    if (isPart && request.failure()?.errorText === networkChanged) hasBroken = true
  })
  const goto = page.goto.bind(page)
  page.goto = async (...where) => {
    let isOpen = false
    for (let open = 1; ; open++)
      try {
        hasBroken = false
        const response = isOpen ? await page.reload() : await goto(...where)
        isOpen = true
        if (open === opensAtMost || !hasBroken) return response
      } catch (error) {
        if (open === opensAtMost || !isNetworkChange(error)) throw error
      }
  }
}

/** Chromium may show its own page of errors before it says why. */
const isNetworkChange = (error: unknown): boolean =>
  [networkChanged, 'chrome-error://chromewebdata/'].some(sign => String(error).includes(sign))

// A real browser for tests: the Chromium of the system, driven by playwright-core.
import { type Browser, chromium } from 'playwright-core'

interface Tools {
  findTool(name: 'chromium'): string | undefined
  howToGet(name: 'chromium'): string
}

/** Throws where there is no Chromium, so that a browser test never passes without a browser. */
export async function launchBrowser(): Promise<Browser> {
  const { findTool, howToGet }: Tools = await import(new URL('../../scripts/tools.mjs', import.meta.url).href)
  const executablePath = findTool('chromium')
  if (executablePath === undefined) throw new Error(howToGet('chromium'))
  // Chromium's own sandbox does not work as root; the pages that tests open are ours.
  const chromiumSandbox = process.getuid?.() !== 0
  // Containers give /dev/shm as little as 64 MB, which makes tabs crash.
  return chromium.launch({ executablePath, chromiumSandbox, args: ['--disable-dev-shm-usage'] })
}

import { expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'

test('the browser of the tests opens a page and runs its script', async () => {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await page.goto('data:text/html,<title>waiting</title><script>document.title = "ready"</script>')
    expect(await page.title()).toBe('ready')
  } finally {
    await browser.close()
  }
})

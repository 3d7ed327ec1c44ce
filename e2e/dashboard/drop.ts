import type { Page } from 'playwright-core'

/** Drops files or folders of the disk onto the page, as a person does from a file manager. */
export async function drop(page: Page, ...files: string[]): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const data = { items: [], files, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data })
}

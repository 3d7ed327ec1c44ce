// `npm run screenshots [part of a name…]`: pictures of every page at 1280 and 390 px, light and dark, with an index to look through.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { launchBrowser } from '../browser.ts'
import { changeLook, forEachAtOnce, Guide, type Look } from './guide.ts'
import { indexPage } from './index-page.ts'
import { type Stop, stops } from './stops.ts'
import { Workspace } from './workspace.ts'

const looks: Look[] = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 390 },
  { theme: 'dark', width: 390 },
]

const fileName = ({ name }: Stop, { theme, width }: Look): string =>
  `${name.replaceAll('/', '.').replaceAll(/[^\w.-]/g, '-')}-${width}-${theme}.png`

/** Writes the pictures into the folder, whose former content is deleted, and returns the path of the index. */
export async function takeScreenshots(folder: string, filters: readonly string[]): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const [workspace, browser] = await Promise.all([Workspace.open(), launchBrowser()])
  try {
    const guide = new Guide(browser, workspace)
    const all = await stops(workspace.samples)
    const chosen = all.filter(({ name }) => !filters.length || filters.some(part => name.includes(part)))
    await forEachAtOnce(chosen, 4, stop =>
      guide.show(stop, looks[0]!, async page => {
        for (const look of looks) {
          await changeLook(page, look)
          const file = path.join(folder, fileName(stop, look))
          await page.screenshot({ path: file, fullPage: stop.prepare === undefined })
        }
        console.log(stop.name)
      }),
    )
    const pictures = chosen.flatMap(stop => looks.map(look => ({ stop, look, file: fileName(stop, look) })))
    const index = path.join(folder, 'index.html')
    await writeFile(index, indexPage(pictures))
    return index
  } finally {
    await browser.close()
    await workspace.close()
  }
}

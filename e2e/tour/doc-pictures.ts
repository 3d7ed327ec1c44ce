// `npm run screenshots -- --docs`: the pictures in docs/pictures/, each the top of a page of the dashboard.
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { Guide } from './guide.ts'
import { stops } from './stops.ts'
import { Workspace } from './workspace.ts'

/** The names of the files, and of the stops of the tour that they show. */
const pictures: Record<string, string> = {
  projects: '/',
  overview: '/projects/:name',
  deployments: '/projects/:name/deployments',
  build: '/projects/:name/git/:build',
  analytics: '/projects/:name/analytics',
  metrics: 'busy metrics',
  domains: '/projects/:name/domains',
  environment: '/projects/:name/environment',
  crons: '/projects/:name/crons',
  forms: '/projects/:name/forms/:form',
  logs: '/projects/:name/logs',
  access: '/projects/:name/access',
  storage: '/projects/:name/storage',
  notifications: '/projects/:name/notifications',
  members: '/orgs/:name/members',
  operator: '/admin',
}

/** The site of the docs reserves this much room, so that text does not jump when a picture arrives. */
const size = { width: 1000, height: 640 }

/** Without names, it takes all of them. */
export async function takeDocPictures(folder: string, names: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  const [workspace, browser] = await Promise.all([Workspace.open({ isForDocs: true }), launchBrowser()])
  try {
    const guide = new Guide(browser, workspace)
    const all = await stops(workspace.samples)
    for (const [name, stopName] of Object.entries(pictures)) {
      if (names.length > 0 && !names.includes(name)) continue
      const stop = all.find(each => each.name === stopName)
      if (stop === undefined) throw new Error(`The tour has no stop '${stopName}'.`)
      await guide.show(stop, { theme: 'light', width: 1280 }, async page => {
        await page.setViewportSize(size)
        await page.waitForFunction(() => [...document.images].every(image => image.complete))
        const picture = await asWebp(page, await page.screenshot())
        await writeFile(path.join(folder, `${name}.webp`), picture)
        console.log(`${name}.webp, ${Math.round(picture.length / 1024)} KB`)
      })
    }
  } finally {
    await browser.close()
    await workspace.close()
  }
}

/** A quarter of the size of a PNG. The browser makes it, in a tab without the page's security policy. */
async function asWebp(page: Page, png: Buffer): Promise<Buffer> {
  const tab = await page.context().newPage()
  const url = await tab.evaluate(
    async source => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), {
        width: image.naturalWidth,
        height: image.naturalHeight,
      })
      canvas.getContext('2d')?.drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', 0.85)
    },
    `data:image/png;base64,${png.toString('base64')}`,
  )
  await tab.close()
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}

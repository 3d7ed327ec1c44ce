// `npm run screenshots [-- part of a name…]`: installs and builds what is needed, then takes pictures of the dashboard.
// `npm run screenshots -- --docs [name…]`: takes the pictures that docs/ shows.
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'
import { orEnd } from './step.mjs'
import { ensureTools } from './tools.mjs'

await orEnd(prepare)
await orEnd(() => ensureTools(['chromium', 'git', 'tar']))
const [first, ...rest] = process.argv.slice(2)
if (first === '--docs') {
  const { takeDocPictures } = await import('../e2e/dist/tour/doc-pictures.js')
  await takeDocPictures(join(root, 'docs/pictures'), rest)
} else {
  const { takeScreenshots } = await import('../e2e/dist/tour/screenshots.js')
  const index = await takeScreenshots(join(root, 'screenshots'), process.argv.slice(2))
  console.log(`\nOpen ${index}`)
}

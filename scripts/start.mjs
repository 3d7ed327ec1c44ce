// `npm start`: installs and builds what is needed, then becomes `svcd start` (the same process: no second one stays).
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'
import { orEnd } from './step.mjs'
import { canInstall, sandboxTools, wishForTools } from './tools.mjs'

await orEnd(prepare)
// Where they cannot be installed, svcd says what it cannot do without them.
if (canInstall()) await wishForTools(sandboxTools)
const svcd = join(root, 'packages/server/bin/svcd.js')
process.argv.splice(1, 1, svcd, 'start')
await import(svcd)

// `npm start`: installs and builds what is needed, then becomes `svcd start` (the same process: no second one stays).
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'
import { StepFailed } from './step.mjs'

try {
  await prepare()
} catch (error) {
  if (!(error instanceof StepFailed)) throw error
  console.error(error.message)
  process.exit(1)
}

const svcd = join(root, 'packages/server/bin/svcd.js')
process.argv.splice(1, 1, svcd, 'start')
await import(svcd)

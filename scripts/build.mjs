// `npm run build`: installs and builds what is needed.
import { prepare } from './prepare.mjs'
import { orEnd } from './step.mjs'

await orEnd(prepare)

// `npm run build`: installs and builds what is needed.
import { prepare } from './prepare.mjs'
import { StepFailed } from './step.mjs'

try {
  await prepare()
} catch (error) {
  if (!(error instanceof StepFailed)) throw error
  console.error(error.message)
  process.exitCode = 1
}

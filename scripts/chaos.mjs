// `npm run chaos -- --minutes N`: breaks a cluster for so long, and prints what was acknowledged and whether anything of it is lost.
import { parseArgs } from 'node:util'
import { prepare } from './prepare.mjs'
import { orEnd } from './step.mjs'
import { ensureTools } from './tools.mjs'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '5' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) {
  console.error('Usage: npm run chaos -- --minutes 30')
  process.exit(2)
}
await orEnd(prepare)
await orEnd(() => ensureTools(['git', 'tar']))
const { runChaos, shuffled } = await import('../e2e/dist/chaos/chaos.js')
const ledger = await runChaos({ faults: shuffled(Date.now() + minutes * 60_000), steps: 5, log: console.log })
console.log(`\n${ledger}`)
process.exitCode = ledger.violations.length === 0 ? 0 : 1

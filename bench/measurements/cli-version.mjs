// How long `svc --version` takes, beside a Node that does nothing.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { interleave } from '../statistics.mjs'

const program = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))

export async function measure() {
  const time = await interleave(31, {
    svc: () => timed([program, '--version']),
    node: () => timed(['-e', '0']),
  })
  return [
    { what: 'svc --version', unit: 'ms', svc: time.svc, other: 'node -e 0', value: time.node, atMost: 2 },
  ]
}

function timed(args) {
  const began = performance.now()
  execFileSync(process.execPath, args)
  return performance.now() - began
}

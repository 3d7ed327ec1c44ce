// From starting the process until it says that it is ready, on an empty instance and on one of 10,000 live sites.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Machine } from '../../e2e/dist/svcd.js'
import { fillWithSites } from '../many-sites.mjs'
import { makeSite } from '../sites.mjs'
import { median } from '../statistics.mjs'

const rounds = 9
const projects = 10_000

export async function measure({ dir }) {
  // Without the limits of plans.
  const machine = await Machine.make({ SVCD_BILLING: 'off' })
  try {
    const empty = await startUp(machine)
    const { tarball } = makeSite(dir, 'start-up', { files: 1 })
    await fillWithSites(machine, tarball, projects)
    const full = await startUp(machine)
    const what = count => `start until ready, ${count.toLocaleString('en')} projects`
    return [
      { what: what(0), unit: 'ms', svc: empty },
      { what: what(projects), unit: 'ms', svc: full, limit: 1_500 },
    ]
  } finally {
    await machine.remove()
  }
}

async function startUp(machine) {
  const times = []
  for (let i = 0; i < rounds; i++) {
    const began = performance.now()
    const child = machine.spawn('start')
    const ended = once(child, 'exit')
    for await (const line of createInterface(child.stdout)) if (line.includes('svcd ready')) break
    times.push(performance.now() - began)
    child.kill('SIGTERM')
    await ended
  }
  return median(times)
}

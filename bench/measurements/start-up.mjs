// From starting the process until it says that it is ready, on an empty instance and on one of 10,000 live sites.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Machine } from '../../e2e/dist/svcd.js'
import { makeSite } from '../sites.mjs'
import { median } from '../statistics.mjs'
import { clientOf } from '../svc.mjs'

const rounds = 9
const projects = 10_000
/** One account may make 6,000 changes in ten minutes, and each project takes two. */
const accounts = 5

export async function measure({ dir }) {
  // Without the limits of plans.
  const machine = await Machine.make({ SVCD_BILLING: 'off' })
  try {
    const empty = await startUp(machine)
    const { tarball } = makeSite(dir, 'start-up', { files: 1 })
    await fill(machine, tarball)
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

/** Every project gets a live deployment, through the API as users would. */
async function fill(machine, tarball) {
  const tokens = []
  for (let i = 0; i < accounts; i++) tokens.push(await machine.token(`bench-${i}`))
  const svcd = await machine.start()
  const clients = tokens.map(token => clientOf(svcd.port, token))
  let next = 0
  const worker = async () => {
    for (let i = next++; i < projects; i = next++) {
      const svc = clients[i % accounts]
      await svc.api('POST', '/projects', { name: `site-${i}` })
      await svc.deploy(`site-${i}`, tarball)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  await svcd.stop()
}

// Memory of all processes of the platform: at rest after a start and a first site, and after a day's work.
import { setTimeout as sleep } from 'node:timers/promises'
import { childrenOf, memoryOf } from '../processes.mjs'
import { MB, makeSite } from '../sites.mjs'
import { startSvc } from '../svc.mjs'

const settleMs = 60_000
const smallDeploys = 20

/** As `npm start` and the unit in docs/operations.md set them. */
const settings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

const longestWaits = 15

/** Measures when the process that compresses has ended, which it does when it has nothing to do. */
async function memoryAtRest(pid) {
  await sleep(settleMs)
  for (let waits = 1; waits < longestWaits && childrenOf(pid).length > 0; waits++) await sleep(settleMs)
  return memoryOf(pid)
}

export async function measure({ dir }) {
  const svc = await startSvc({ settings })
  try {
    await svc.api('POST', '/projects', { name: 'memory' })
    await svc.deploy('memory', makeSite(dir, 'memory-small', { files: 10 }).tarball)
    await svc.visit('memory')
    const idle = await memoryAtRest(svc.pid)
    const medium = makeSite(dir, 'memory-medium', { files: 1_000, total: 10 * MB })
    for (let i = 0; i < smallDeploys; i++) await svc.deploy('memory', medium.tarball)
    const afterSmall = await memoryAtRest(svc.pid)
    const { tarball } = makeSite(dir, 'memory-large', { files: 10_000, total: 100 * MB })
    for (let i = 0; i < 3; i++) await svc.deploy('memory', tarball)
    const after = await memoryAtRest(svc.pid)
    return [
      { what: 'idle memory of all processes (RSS)', unit: 'MB', svc: idle.rss, limit: 120 },
      { what: 'idle memory of all processes (PSS)', unit: 'MB', svc: idle.pss },
      { what: 'the same after 20 deploys of 1,000 files (RSS)', unit: 'MB', svc: afterSmall.rss, limit: 100 },
      { what: 'the same after three deploys of 10,000 files (RSS)', unit: 'MB', svc: after.rss, limit: 100 },
    ]
  } finally {
    await svc.stop()
  }
}

// What a second edge worker brings: requests per second of processor time, so that it can be seen on two cores, which
// the workers and the load generator share.
import { load } from '../load.mjs'
import { makeSite } from '../sites.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

export async function measure({ dir }) {
  const { tarball } = makeSite(dir, 'edge-workers', { files: 1 })
  const one = await startWorkers(1, tarball)
  const two = await startWorkers(2, tarball)
  try {
    const headers = { Host: 'edge-workers.localhost' }
    const rate = server => async () => (await load(server, '/', { connections: 64, headers })).perCpuSecond
    const rates = await interleave(7, { one: rate(one), two: rate(two) })
    const what = 'hot 4 KB page, two edge workers'
    const beside = { other: 'one', value: rates.one, atLeast: 0.8 }
    return [{ what, unit: 'requests per CPU second', svc: rates.two, ...beside }]
  } finally {
    await Promise.all([one.stop(), two.stop()])
  }
}

async function startWorkers(count, tarball) {
  const svc = await startSvc({ settings: { SVCD_EDGE_WORKERS: String(count) } })
  await svc.api('POST', '/projects', { name: 'edge-workers' })
  await svc.deploy('edge-workers', tarball)
  return svc
}

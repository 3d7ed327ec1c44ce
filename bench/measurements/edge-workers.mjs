// What a second edge worker brings: requests per second of processor time, so that it can be seen on two cores, which
// the workers and the load generator share. One hot page, and the mix of files that visitors ask for.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from '../load.mjs'
import { loadMix } from '../mix-load.mjs'
import { makeMixedSite, requestsOf, shareCompressed } from '../mixed-site.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const host = 'mix.localhost'
const rounds = Number(process.env.BENCH_ROUNDS ?? 7)

const subjects = [
  {
    what: 'hot 4 KB page, two edge workers',
    rate: server => load(server, '/', { connections: 64, headers: { Host: host } }),
    atLeast: 0.8,
  },
  {
    what: 'mix of 300 files, two edge workers',
    rate: server => loadMix(server, server.url, { host, requests: server.requests, known: 4 }),
    atLeast: 0.85,
  },
]

export async function measure({ dir }) {
  const site = makeMixedSite(dir)
  const one = await startWorkers(1, site, dir)
  const two = await startWorkers(2, site, dir)
  try {
    const rows = []
    for (const { what, rate, atLeast } of subjects) {
      const perCpuSecond = server => async () => (await rate(server)).perCpuSecond
      const rates = await interleave(rounds, { one: perCpuSecond(one), two: perCpuSecond(two) })
      const beside = { other: 'one', value: rates.one, atLeast }
      rows.push({ what, unit: 'requests per CPU second', svc: rates.two, ...beside })
    }
    return rows
  } finally {
    await Promise.all([one.stop(), two.stop()])
  }
}

async function startWorkers(count, site, dir) {
  const svc = await startSvc({ settings: { SVCD_EDGE_WORKERS: String(count) } })
  await svc.api('POST', '/projects', { name: 'mix' })
  await svc.deploy('mix', site.tarball)
  await shareCompressed(site, svc.url, host)
  const requests = join(dir, `workers-${count}.requests`)
  writeFileSync(requests, await requestsOf(site.paths, svc.url, host))
  return { ...svc, requests }
}

// What a request by TLS and HTTP/2 costs from few and from many connections, beside nginx.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { withLongTail } from '../long-tail-servers.mjs'
import { loadVisitors } from '../mix-load.mjs'
import { interleave } from '../statistics.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const counts = [8, 64, 512, 1000]
/** Nothing was tuned with the second site. */
const sites = [
  { seed: 'one', most: 200 },
  { seed: 'two', most: 2048 },
]

export async function measure({ dir }) {
  const rows = []
  for (const site of sites) {
    const place = join(dir, site.seed)
    mkdirSync(place)
    rows.push(...(await withLongTail(place, site, servers => compare(site, servers))))
  }
  return rows
}

async function compare({ most }, servers) {
  const rows = []
  for (const connections of counts) {
    const requests = Math.max(40_000, 40 * connections)
    const load = server => () => loadVisitors(server, { uris: server.uris, connections, requests })
    const { svc, nginx } = await interleave(rounds, { svc: load(servers.svc), nginx: load(servers.nginx) })
    const what = `files up to ${most} KB, TLS, HTTP/2, ${connections} connections`
    rows.push({ what, unit: 'µs per request', svc, other: 'nginx', value: nginx })
  }
  return rows
}

// What the way through the edge adds to a request to a server app, under load; beside Caddy as the proxy.
import { makeApp, startByHand } from '../apps.mjs'
import { startCaddyProxy } from '../children.mjs'
import { load } from '../load.mjs'
import { ownCpuSecondsOf } from '../processes.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const connections = 16
const subjects = [
  { what: 'server app, a page of some work, p50', path: '/page', atMost: 1.5 },
  { what: 'server app that does nothing, p50', path: '/', isThroughput: true },
]

export async function measure({ dir }) {
  const { root, tarball } = makeApp(dir)
  const svc = await startSvc({ oneCore: true })
  const direct = await startByHand(root)
  const caddy = await startCaddyProxy(dir, direct)
  try {
    await svc.api('POST', '/projects', { name: 'app-proxy' })
    await svc.deploy('app-proxy', tarball)
    const headers = { Host: 'app-proxy.localhost' }
    const rows = []
    for (const { what, path, atMost, isThroughput } of subjects) {
      const results = await interleave(7, {
        svc: () => loadThrough(svc, path, headers),
        direct: () => loadThrough(direct, path),
        Caddy: () => loadThrough(caddy, path),
      })
      const beside = { svc: results.svc, other: 'Caddy before it', value: results.Caddy }
      rows.push(rowOf(what, 'ms', 'p50', { ...beside, other: 'direct', value: results.direct }, { atMost }))
      rows.push(rowOf(what, 'ms', 'p50', beside))
      if (!isThroughput) continue
      const app = 'server app that does nothing'
      rows.push(rowOf(app, 'requests/s', 'perSecond', beside, { atLeast: 1.5 }))
      rows.push(
        rowOf(`${app}, CPU of the proxy`, 'µs per request', 'cpuMicroseconds', beside, { atMost: 0.6 }),
      )
      rows.push(rowOf(`${app}, p99`, 'ms', 'p99', beside))
    }
    return rows
  } finally {
    await Promise.all([svc.stop(), caddy.stop(), direct.stop()])
  }
}

/** With the processor time of the proxy alone: svc starts the app itself, Caddy does not. */
async function loadThrough(server, path, headers) {
  const before = ownCpuSecondsOf(server.pid)
  const result = await load(server, path, { connections, headers })
  const cpuMicroseconds = ((ownCpuSecondsOf(server.pid) - before) * 1e6) / result.requests
  return { ...result, cpuMicroseconds }
}

const rowOf = (what, unit, key, { svc, other, value }, target = {}) => ({
  ...{ what, unit, svc: svc[key], other, value: value[key] },
  ...target,
})

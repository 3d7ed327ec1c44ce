// What the way through the edge adds to a request to a server app, under load.
import { makeApp, startByHand } from '../apps.mjs'
import { startCaddyProxy } from '../children.mjs'
import { load } from '../load.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const connections = 16
const subjects = [
  { what: 'server app, a page of some work, p50', path: '/page', atMost: 1.5 },
  { what: 'server app that does nothing, p50', path: '/' },
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
    for (const { what, path, atMost } of subjects) {
      const times = await interleave(7, {
        svc: async () => (await load(svc, path, { connections, headers })).p50,
        direct: async () => (await load(direct, path, { connections })).p50,
        Caddy: async () => (await load(caddy, path, { connections })).p50,
      })
      const row = { what, unit: 'ms', svc: times.svc }
      rows.push({ ...row, other: 'direct', value: times.direct, atMost })
      rows.push({ ...row, other: 'Caddy before it', value: times.Caddy })
    }
    return rows
  } finally {
    await Promise.all([svc.stop(), caddy.stop(), direct.stop()])
  }
}

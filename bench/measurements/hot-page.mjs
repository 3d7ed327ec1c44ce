// A hot 4 KB page and a 1 MB file from one core, beside nginx and Caddy.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startCaddy, startNginx } from '../children.mjs'
import { load, ratesOf } from '../load.mjs'
import { bytesOf, MB, makeSite, packSite } from '../sites.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const subjects = [
  { what: 'hot 4 KB page, one core', path: '/', connections: 32, targets: { Caddy: 2, nginx: 0.4 } },
  { what: '1 MB file, one core', path: '/large.bin', connections: 8, targets: {} },
]

export async function measure({ dir }) {
  const { root } = makeSite(dir, 'hot-page', { files: 1 })
  writeFileSync(join(root, 'large.bin'), bytesOf('large', MB))
  const svc = await startSvc({ oneCore: true })
  const nginx = await startNginx(dir, root)
  const caddy = await startCaddy(dir, root)
  try {
    await svc.api('POST', '/projects', { name: 'hot-page' })
    await svc.deploy('hot-page', packSite(root))
    const headers = { Host: 'hot-page.localhost' }
    const rows = []
    for (const { what, path, connections, targets } of subjects) {
      const against = (server, headers) => () => load(server, path, { connections, headers })
      const rates = await interleave(7, {
        svc: against(svc, headers),
        nginx: against(nginx),
        Caddy: against(caddy),
      })
      for (const other of ['nginx', 'Caddy']) {
        rows.push(...ratesOf(what, rates.svc, other, rates[other], targets[other]))
      }
    }
    return rows
  } finally {
    await Promise.all([svc.stop(), nginx.stop(), caddy.stop()])
  }
}

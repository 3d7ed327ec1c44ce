// svcd and nginx with a site of the long tail, by TLS, each on one core.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pinToServerCore } from './load.mjs'
import { makeLongTailSite, shareCompressed } from './mixed-site.mjs'
import { makeCertificate, startStaticNginx } from './static-servers.mjs'
import { startSecureSvc } from './svc.mjs'

const domain = 'bench.test'
export const host = `mix.${domain}`

/** Calls `use` with both servers. Each has `uris`, the file of addresses for h2load. */
export async function withLongTail(dir, shape, use) {
  const site = makeLongTailSite(dir, shape)
  const tls = makeCertificate(dir, domain)
  const svc = await startSecureSvc(domain, tls, { settings: { SVCD_EDGE_WORKERS: '0' } })
  const { tlsPort } = svc
  let nginx
  try {
    await svc.api('POST', '/projects', { name: 'mix' })
    await svc.deploy('mix', site.tarball)
    await shareCompressed(site, `https://127.0.0.1:${tlsPort}`, host)
    pinToServerCore(svc.pid)
    nginx = await startStaticNginx(dir, site.root, tls)
    const servers = { svc: { pid: svc.pid, tlsPort }, nginx: { pid: nginx.pid, tlsPort: nginx.tlsPort } }
    for (const [name, server] of Object.entries(servers)) {
      server.uris = join(dir, `${name}.uris`)
      const lines = site.paths.map(path => `https://${host}:${server.tlsPort}${path}\n`)
      writeFileSync(server.uris, lines.join(''))
    }
    return await use(servers)
  } finally {
    await Promise.all([svc.stop(), nginx?.stop()])
  }
}

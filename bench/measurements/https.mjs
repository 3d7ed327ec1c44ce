// A hot 4 KB page by TLS and HTTP/2 from one core, beside nginx and Caddy with the same certificate.
import { startCaddy, startNginx } from '../children.mjs'
import { loadHttp2, ratesOf } from '../load.mjs'
import { makeSite } from '../sites.mjs'
import { makeCertificate } from '../static-servers.mjs'
import { interleave } from '../statistics.mjs'
import { startSecureSvc } from '../svc.mjs'

const domain = 'bench.test'
const host = `https-page.${domain}`

export async function measure({ dir }) {
  const { root, tarball } = makeSite(dir, 'https-page', { files: 1 })
  const tls = { ...makeCertificate(dir, domain), host }
  const svc = await startSecureSvc(domain, tls, { oneCore: true })
  const nginx = await startNginx(dir, root, tls)
  const caddy = await startCaddy(dir, root, tls)
  try {
    await svc.api('POST', '/projects', { name: 'https-page' })
    await svc.deploy('https-page', tarball)
    const rates = await interleave(7, {
      svc: () => loadHttp2({ pid: svc.pid, port: svc.tlsPort }, host),
      nginx: () => loadHttp2(nginx, host),
      Caddy: () => loadHttp2(caddy, host),
    })
    const what = 'hot 4 KB page by TLS and HTTP/2, one core'
    return ['nginx', 'Caddy'].flatMap(other => ratesOf(what, rates.svc, other, rates[other]))
  } finally {
    await Promise.all([svc.stop(), nginx.stop(), caddy.stop()])
  }
}

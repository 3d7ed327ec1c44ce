// A hot 4 KB page by TLS and HTTP/2 from one core, beside nginx and Caddy with the same certificate.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { freePort, startCaddy, startNginx } from '../children.mjs'
import { loadHttp2, ratesOf } from '../load.mjs'
import { makeSite } from '../sites.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const domain = 'bench.test'
const host = `https-page.${domain}`

export async function measure({ dir }) {
  const { root, tarball } = makeSite(dir, 'https-page', { files: 1 })
  const tls = { ...makeCertificate(dir), host }
  const tlsPort = await freePort()
  const svc = await startSvc({
    oneCore: true,
    settings: {
      SVCD_PLATFORM_DOMAIN: domain,
      // So that the line of svcd that it is ready names the port.
      SVCD_PUBLIC_SCHEME: 'http',
      SVCD_TLS_PORT: String(tlsPort),
      SVCD_TLS_CERT: tls.cert,
      SVCD_TLS_KEY: tls.key,
    },
  })
  const nginx = await startNginx(dir, root, tls)
  const caddy = await startCaddy(dir, root, tls)
  try {
    await svc.api('POST', '/projects', { name: 'https-page' })
    await svc.deploy('https-page', tarball)
    const rates = await interleave(7, {
      svc: () => loadHttp2({ pid: svc.pid, port: tlsPort }, host),
      nginx: () => loadHttp2(nginx, host),
      Caddy: () => loadHttp2(caddy, host),
    })
    const what = 'hot 4 KB page by TLS and HTTP/2, one core'
    return ['nginx', 'Caddy'].flatMap(other => ratesOf(what, rates.svc, other, rates[other]))
  } finally {
    await Promise.all([svc.stop(), nginx.stop(), caddy.stop()])
  }
}

function makeCertificate(dir) {
  const [cert, key] = [join(dir, 'bench.pem'), join(dir, 'bench.key')]
  const subject = ['-subj', `/CN=${domain}`, '-addext', `subjectAltName=DNS:${domain},DNS:*.${domain}`]
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
  execFileSync('openssl', ['req', '-x509', ...newKey, '-days', '2', ...subject, '-out', cert], {
    stdio: 'ignore',
  })
  return { cert, key }
}

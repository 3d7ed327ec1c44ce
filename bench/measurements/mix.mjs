// What visitors ask for: a mix of 300 files by HTTP/1.1, by TLS, and by TLS and HTTP/2, files that they have already (304), and a
// 1 MB file; from one core, beside nginx, Caddy, and HAProxy before nginx.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pinToServerCore } from '../load.mjs'
import { loadHttp2Mix, loadMix } from '../mix-load.mjs'
import { makeMixedSite, requestsOf, shareCompressed } from '../mixed-site.mjs'
import { makeCertificate, startHaproxy, startStaticCaddy, startStaticNginx } from '../static-servers.mjs'
import { interleave } from '../statistics.mjs'
import { startSecureSvc, startSvc } from '../svc.mjs'

const domain = 'bench.test'
/** By plain HTTP: svc redirects names with a certificate to HTTPS. */
const plainHost = 'mix.localhost'
const secureHost = `mix.${domain}`
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)

const plain =
  options =>
  (server, { requests }) =>
    loadMix(server, server.url, { host: plainHost, requests, ...options })
const secure =
  options =>
  (server, { requests }) =>
    loadMix(server, `https://localhost:${server.tlsPort}`, { host: secureHost, requests, ...options })

/** `atLeast` is of requests per second; `p99` is at most so many times the other's. */
const subjects = [
  {
    what: 'mix of 300 files, HTTP/1.1',
    load: plain({ known: 4 }),
    atLeast: { Caddy: 2, nginx: 0.3 },
    p99: { Caddy: 2 },
  },
  {
    what: 'mix of 300 files, TLS, HTTP/1.1',
    load: secure({ known: 4 }),
    atLeast: { Caddy: 1.5, nginx: 0.6 },
  },
  {
    what: 'mix of 300 files, TLS, HTTP/2 (no 304)',
    load: (server, { uris }) => loadHttp2Mix(server, { uris }),
    atLeast: { Caddy: 3.3, nginx: 0.8 },
  },
  {
    what: 'one hot page again and again, TLS, HTTP/2',
    load: (server, { page }) => loadHttp2Mix(server, { uris: page }),
    atLeast: { nginx: 1 },
  },
  { what: '304 alone, HTTP/1.1', load: plain({ known: 1 }), atLeast: { Caddy: 2 } },
  {
    what: '1 MB file, HTTP/1.1',
    load: (server, { large }) => plain({ known: 0 })(server, { requests: large }),
    atLeast: { Caddy: 1 },
  },
]

export async function measure({ dir }) {
  const site = makeMixedSite(dir)
  const tls = makeCertificate(dir, domain)
  const servers = {}
  try {
    servers.svc = await startBoth(site, tls)
    servers.nginx = await startStaticNginx(dir, site.root, tls)
    servers.Caddy = await startStaticCaddy(dir, site.root, tls, secureHost)
    servers['HAProxy → nginx'] = await startHaproxy(dir, servers.nginx, tls)
    return await compare(dir, site, servers)
  } finally {
    await Promise.all(Object.values(servers).map(server => server.stop()))
  }
}

/** One svcd for plain HTTP and one for HTTPS, of which one is idle at a time. */
async function startBoth(site, tls) {
  const plain = await startSvc()
  const secure = await startSecureSvc(domain, tls)
  const { tlsPort } = secure
  for (const svc of [plain, secure]) {
    await svc.api('POST', '/projects', { name: 'mix' })
    await svc.deploy('mix', site.tarball)
  }
  await shareCompressed(site, plain.url, plainHost)
  await shareCompressed(site, `https://127.0.0.1:${tlsPort}`, secureHost)
  // Compressing the site is not measured, and had both cores.
  for (const { pid } of [plain, secure]) pinToServerCore(pid)
  const stop = () => Promise.all([plain.stop(), secure.stop()])
  return { url: plain.url, tlsPort, pids: [plain.pid, secure.pid], stop }
}

async function compare(dir, site, servers) {
  const files = {}
  for (const [name, server] of Object.entries(servers)) files[name] = await filesOf(dir, name, site, server)
  const rows = []
  for (const { what, load, atLeast, p99 = {} } of subjects) {
    const contenders = Object.entries(servers).map(([name, server]) => [
      name,
      () => load(server, files[name]),
    ])
    const { svc, ...others } = await interleave(rounds, Object.fromEntries(contenders))
    for (const [other, result] of Object.entries(others)) {
      const row = (unit, key, target = {}) => ({
        what,
        unit,
        svc: svc[key],
        other,
        value: result[key],
        ...target,
      })
      rows.push(row('requests/s', 'perSecond', { atLeast: atLeast[other] }))
      rows.push(row('requests per CPU second', 'perCpuSecond'))
      if (svc.p50 === undefined) continue
      rows.push(row('ms (p50)', 'p50'), row('ms (p99)', 'p99', { atMost: p99[other] }))
    }
  }
  return rows
}

/** Lists of requests for the load generators, with the ETags of this server. */
async function filesOf(dir, name, { paths }, server) {
  const place = join(dir, name.replace(/\W+/g, '-'))
  const write = (kind, content) => {
    writeFileSync(`${place}.${kind}`, content)
    return `${place}.${kind}`
  }
  const address = path => `https://${secureHost}:${server.tlsPort}${path}\n`
  return {
    requests: write('requests', await requestsOf(paths, server.url, plainHost)),
    large: write('large', await requestsOf(['/large.bin'], server.url, plainHost)),
    uris: write('uris', paths.map(address).join('')),
    page: write('page', address('/')),
  }
}

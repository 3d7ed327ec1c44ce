// The slowest answers: p99 of files and of a server app, at saturation and at 80 % of the highest load of each server, beside nginx and
// Caddy; everything from one core.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeApp, startByHand } from '../apps.mjs'
import { startCaddyProxy } from '../children.mjs'
import { pinToServerCore } from '../load.mjs'
import { timesOf } from '../mix-load.mjs'
import { makeLongTailSite, shareCompressed } from '../mixed-site.mjs'
import { startNginxProxy } from '../proxies.mjs'
import { makeCertificate, startStaticCaddy, startStaticNginx } from '../static-servers.mjs'
import { interleave } from '../statistics.mjs'
import { startSecureSvc, startSvc } from '../svc.mjs'

const domain = 'bench.test'
const secureHost = `mix.${domain}`
/** By plain HTTP: svc redirects names with a certificate to HTTPS. */
const plainHost = 'mix.localhost'
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
/** Nothing was tuned with the site of this seed. */
const shape = { seed: process.env.BENCH_SEED ?? 'two', most: 200 }
const share = 0.8

const plain = { scheme: 'http', host: plainHost, portOf: ({ port }) => port }
const secure = { scheme: 'https', host: secureHost, portOf: ({ tlsPort }) => tlsPort }
/** `known`: the share of connections whose visitors have all files already. */
const subjects = [
  { what: 'mix, HTTP/1.1', ...plain, shape: ['--h1'], connections: 64, known: 1 / 4 },
  { what: 'mix, TLS, HTTP/1.1', ...secure, shape: ['--h1'], connections: 64, known: 1 / 4 },
  { what: 'mix, TLS, HTTP/2', ...secure, shape: ['-m4'], connections: 24, known: 1 / 4 },
]

export async function measure({ dir }) {
  return [...(await measureFiles(dir)), ...(await measureApp(dir))]
}

async function measureFiles(dir) {
  const site = makeLongTailSite(dir, shape)
  const tls = makeCertificate(dir, domain)
  const servers = {}
  try {
    servers.svc = await startBoth(site, tls)
    servers.nginx = await startStaticNginx(dir, site.root, tls)
    servers.Caddy = await startStaticCaddy(dir, site.root, tls, secureHost)
    const rows = []
    for (const subject of subjects) rows.push(...(await compare(dir, subject, servers, site.paths)))
    return rows
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
  return { port: new URL(plain.url).port, tlsPort, stop }
}

async function measureApp(dir) {
  const { root, tarball } = makeApp(dir)
  const svc = await startSvc({ oneCore: true })
  const direct = await startByHand(root)
  const [nginx, Caddy] = [await startNginxProxy(dir, direct), await startCaddyProxy(dir, direct)]
  try {
    await svc.api('POST', '/projects', { name: 'mix' })
    await svc.deploy('mix', tarball)
    const what = 'app that does nothing, HTTP/1.1'
    // svc would compress what the app answers, and the others would not.
    const visitors = { connections: 64, known: 0, without: ['Accept-Encoding'] }
    const subject = { what, ...plain, shape: ['--h1'], ...visitors }
    const servers = { svc: { port: new URL(svc.url).port }, nginx, Caddy }
    return await compare(dir, subject, servers, ['/'])
  } finally {
    await Promise.all([svc, direct, nginx, Caddy].map(server => server.stop()))
  }
}

async function compare(dir, { what, scheme, host, portOf, ...visitors }, servers, paths) {
  const contenders = Object.entries(servers).map(([name, server]) => {
    const port = portOf(server)
    const uris = join(dir, `${name}.${scheme}`)
    writeFileSync(uris, paths.map(path => `${scheme}://${host}:${port}${path}\n`).join(''))
    const load = perSecond => timesOf({ dir, uris, port, ...visitors, perSecond })
    const run = async () => {
      const full = await load()
      const most = await load(full.perSecond * share)
      return { perSecond: full.perSecond, full: full.p99, most: most.p99, worst: most.worst }
    }
    return [name, run]
  })
  const { svc, ...others } = await interleave(rounds, Object.fromEntries(contenders))
  return Object.entries(others).flatMap(([other, result]) => {
    const atMost = other === 'Caddy' ? 1 : undefined
    const row = (text, unit, key, target) => ({
      ...{ what: `${what}${text}`, unit, svc: svc[key], other, value: result[key] },
      ...target,
    })
    return [
      row('', 'requests/s', 'perSecond'),
      row(' at saturation', 'ms (p99)', 'full', { atMost }),
      row(' at 80 % of its highest load', 'ms (p99)', 'most', { atMost }),
      row(' at 80 % of its highest load', 'ms (worst)', 'worst'),
    ]
  })
}

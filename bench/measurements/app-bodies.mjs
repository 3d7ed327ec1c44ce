// Bodies of requests to a server app, and streamed answers of it, by HTTP/1.1 and by TLS and HTTP/2: processor time of the proxy.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findTool } from '../../scripts/tools.mjs'
import { makeApp, startByHand } from '../apps.mjs'
import { loadCore, onCore } from '../load.mjs'
import { cpuSecondsOf, ownCpuSecondsOf } from '../processes.mjs'
import { startNginxProxy, startSecureCaddyProxy } from '../proxies.mjs'
import { KB } from '../sites.mjs'
import { makeCertificate } from '../static-servers.mjs'
import { interleave } from '../statistics.mjs'
import { startSecureSvc, startSvc } from '../svc.mjs'

const domain = 'bench.test'
const host = `proxied.${domain}`
/** By plain HTTP: svc redirects names with a certificate to HTTPS. */
const plainHost = 'proxied.localhost'
const rounds = Number(process.env.BENCH_ROUNDS ?? 7)
const connections = 16
/** By HTTP/2, on each connection. */
const atOnce = 4

const subjects = [
  { what: 'GET', path: '/', requests: 6_000 },
  { what: 'POST of 1 KB', path: '/', bodyBytes: KB, requests: 6_000 },
  { what: 'POST of 256 KB', path: '/', bodyBytes: 256 * KB, requests: 800 },
  { what: 'streamed answer of 256 KB', path: '/stream', requests: 800 },
]
const protocols = {
  'HTTP/1.1': ({ port }) => ['--h1', `http://${plainHost}:${port}`, `--connect-to=127.0.0.1:${port}`],
  'TLS, HTTP/2': ({ tlsPort }) => [
    `-m${atOnce}`,
    `https://${host}:${tlsPort}`,
    `--connect-to=127.0.0.1:${tlsPort}`,
  ],
}

export async function measure({ dir }) {
  const { root, tarball } = makeApp(dir)
  const tls = makeCertificate(dir, domain)
  const plain = await startSvc({ oneCore: true })
  const secure = await startSecureSvc(domain, tls, { oneCore: true })
  const direct = await startByHand(root)
  const nginx = await startNginxProxy(dir, direct, tls)
  const Caddy = await startSecureCaddyProxy(dir, direct, tls, host)
  try {
    for (const svc of [plain, secure]) {
      await svc.api('POST', '/projects', { name: 'proxied' })
      await svc.deploy('proxied', tarball)
    }
    const pids = [plain.pid, secure.pid]
    // svc starts the app itself, so the app's processor time is left out.
    const cpuOf = () => pids.reduce((sum, pid) => sum + ownCpuSecondsOf(pid), 0)
    const svc = { port: new URL(plain.url).port, tlsPort: secure.tlsPort, cpuOf }
    const servers = { svc, nginx, Caddy }
    const rows = []
    for (const { what, ...subject } of subjects)
      for (const [protocol, addressOf] of Object.entries(protocols)) {
        const contenders = Object.entries(servers).map(([name, server]) => [
          name,
          () => loadApp(dir, server, addressOf(server), subject),
        ])
        const result = await interleave(rounds, Object.fromEntries(contenders))
        for (const [other, atMost] of [
          ['Caddy', 0.5],
          ['nginx', 2],
        ])
          rows.push({
            ...{ what: `server app, ${what}, ${protocol}, CPU of the proxy`, unit: 'µs per request' },
            ...{ svc: result.svc, other, value: result[other], atMost },
          })
      }
    return rows
  } finally {
    await Promise.all([plain, secure, nginx, Caddy, direct].map(server => server.stop()))
  }
}

/** Returns the processor time of a request. */
async function loadApp(
  dir,
  { pid, cpuOf = cpuSecondsOf },
  [first, url, ...more],
  { path, bodyBytes, requests },
) {
  const body = join(dir, `body-${bodyBytes}`)
  if (bodyBytes !== undefined) writeFileSync(body, 'x'.repeat(bodyBytes))
  const [program, ...prefix] = onCore(loadCore)
  const shape = ['-t1', `-c${connections}`, `-n${requests}`, first, ...more]
  const args = [...shape, ...(bodyBytes === undefined ? [] : ['-d', body]), url + path]
  const before = cpuOf(pid)
  const { stdout } = await promisify(execFile)(program, [...prefix, findTool('nghttp2-client'), ...args])
  if (!stdout.includes(`status codes: ${requests} 2xx`)) throw new Error(`It did not answer well:\n${stdout}`)
  return ((cpuOf(pid) - before) / requests) * 1e6
}

// Requests by TLS and HTTP/2 to a server app that does nothing: processor time of svcd, with its fast lanes and without them.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findTool } from '../../scripts/tools.mjs'
import { makeApp } from '../apps.mjs'
import { loadCore, onCore } from '../load.mjs'
import { ownCpuSecondsOf } from '../processes.mjs'
import { makeCertificate } from '../static-servers.mjs'
import { interleave } from '../statistics.mjs'
import { startSecureSvc } from '../svc.mjs'

const domain = 'bench.test'
const rounds = Number(process.env.BENCH_ROUNDS ?? 7)
/** Of one run. */
const requests = 6_000
const connections = 16
const atOnce = 4

export async function measure({ dir }) {
  const { tarball } = makeApp(dir)
  const tls = makeCertificate(dir, domain)
  const body = join(dir, 'body')
  writeFileSync(body, 'x'.repeat(1024))
  const svc = await start(tls, tarball, '1')
  const plain = await start(tls, tarball, '0')
  try {
    const rows = []
    for (const [what, more] of [
      ['GET', []],
      ['POST of 1 KB', ['-d', body]],
      ['GET, compressed', ['-H', 'accept-encoding: gzip']],
    ]) {
      const result = await interleave(rounds, {
        svc: () => loadApp(svc, more),
        plain: () => loadApp(plain, more),
      })
      rows.push({
        ...{ what: `server app that does nothing, TLS, HTTP/2, ${what}`, unit: 'µs per request' },
        ...{ svc: result.svc, other: 'without the lanes', value: result.plain },
      })
    }
    return rows
  } finally {
    await Promise.all([svc.stop(), plain.stop()])
  }
}

async function start(tls, tarball, lanes) {
  const svc = await startSecureSvc(domain, tls, { oneCore: true, settings: { SVCD_FAST_LANES: lanes } })
  await svc.api('POST', '/projects', { name: 'proxied' })
  await svc.deploy('proxied', tarball)
  return svc
}

/** Returns the processor time of a request. The app is another process, and its time is left out. */
async function loadApp({ pid, tlsPort }, more) {
  const [program, ...prefix] = onCore(loadCore)
  const shape = ['-t1', `-c${connections}`, `-m${atOnce}`, `-n${requests}`, ...more]
  const target = [`--connect-to=127.0.0.1:${tlsPort}`, `https://proxied.${domain}/`]
  const before = ownCpuSecondsOf(pid)
  const { stdout } = await promisify(execFile)(program, [
    ...prefix,
    findTool('nghttp2-client'),
    ...shape,
    ...target,
  ])
  if (!stdout.includes(`status codes: ${requests} 2xx`)) throw new Error(`It did not answer well:\n${stdout}`)
  return ((ownCpuSecondsOf(pid) - before) / requests) * 1e6
}

// What the way through the edge adds to a request to a server app, under load; beside nginx, Caddy and HAProxy as the proxy.
import { makeApp, startByHand } from '../apps.mjs'
import { startCaddyProxy } from '../children.mjs'
import { load } from '../load.mjs'
import { cpuSecondsOf, ownCpuSecondsOf } from '../processes.mjs'
import { startHaproxyProxy, startNginxProxy } from '../proxies.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

/** Of one run. The contenders take turns, so many short runs compare better than few long ones. */
const seconds = 2
/** A page of some work keeps the app busy with few visitors. */
const connections = 16
/** The app that does nothing is asked by as many visitors as the static files of `mix`, and by few. */
const many = 64
const work = 'server app, a page of some work'
const trivial = 'server app that does nothing'

export async function measure({ dir }) {
  const { root, tarball } = makeApp(dir)
  const svc = await startSvc({ oneCore: true })
  const direct = await startByHand(root)
  const proxies = {
    Caddy: await startCaddyProxy(dir, direct),
    nginx: await startNginxProxy(dir, direct),
    HAProxy: await startHaproxyProxy(dir, direct),
  }
  try {
    await svc.api('POST', '/projects', { name: 'app-proxy' })
    await svc.deploy('app-proxy', tarball)
    return [
      ...(await measureWork(svc, direct, proxies)),
      ...(await measureTrivial(svc, proxies, many, lines)),
      ...(await measureTrivial(svc, { Caddy: proxies.Caddy }, connections, fewLines)),
    ]
  } finally {
    await Promise.all([svc, direct, ...Object.values(proxies)].map(server => server.stop()))
  }
}

async function measureWork(svc, direct, { Caddy }) {
  const results = await interleave(3, {
    svc: () => loadSvc(svc, '/page', connections),
    direct: () => load(direct, '/page', { connections, seconds }),
    Caddy: () => load(Caddy, '/page', { connections, seconds }),
  })
  const row = (other, target) => ({
    ...{ what: `${work}, p50`, unit: 'ms', svc: results.svc.p50, other, ...target },
  })
  return [
    row('direct', { value: results.direct.p50, atMost: 1.5 }),
    row('Caddy before it', { value: results.Caddy.p50 }),
  ]
}

const perSecond = { unit: 'requests/s', key: 'perSecond' }
const cpu = { unit: 'µs per request', key: 'cpuMicroseconds' }
const lines = [
  { ...perSecond, what: trivial, targets: { Caddy: { atLeast: 1.5 } } },
  { ...cpu, what: `${trivial}, CPU of the proxy`, targets: { Caddy: { atMost: 0.6 } } },
  { what: `${trivial}, p50`, unit: 'ms', key: 'p50', targets: {} },
  { what: `${trivial}, p99`, unit: 'ms', key: 'p99', targets: {} },
]
const fewLines = [
  { ...perSecond, what: `${trivial}, ${connections} connections`, targets: {} },
  { ...cpu, what: `${trivial}, ${connections} connections, CPU of the proxy`, targets: {} },
]

async function measureTrivial(svc, proxies, count, lines) {
  const others = Object.entries(proxies).map(([name, proxy]) => [
    name,
    () => loadThrough(proxy, '/', cpuSecondsOf, count),
  ])
  const results = await interleave(7, { svc: () => loadSvc(svc, '/', count), ...Object.fromEntries(others) })
  return lines.flatMap(({ what, unit, key, targets }) =>
    Object.keys(proxies).map(name => ({
      ...{ what, unit, svc: results.svc[key], other: `${name} before it`, value: results[name][key] },
      ...targets[name],
    })),
  )
}

/** svc starts the app itself, so the app's processor time is left out. */
const loadSvc = (svc, path, count) =>
  loadThrough(svc, path, ownCpuSecondsOf, count, { Host: 'app-proxy.localhost' })

/** With the processor time that the proxy took for a request. */
async function loadThrough(server, path, cpuOf, count, headers) {
  const before = cpuOf(server.pid)
  const result = await load(server, path, { connections: count, seconds, headers })
  return { ...result, cpuMicroseconds: ((cpuOf(server.pid) - before) * 1e6) / result.requests }
}

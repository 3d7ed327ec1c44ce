// What visitors feel at 500 requests a second while svcd is restarted: how many requests fail, and how long the longest one takes.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { http1 } from '../../e2e/dist/load.js'
import { Machine, Svcd } from '../../e2e/dist/svcd.js'
import { bindSocket } from '../../packages/server/dist/lib/listening-sockets.js'
import { makeApp } from '../apps.mjs'
import { makeSite } from '../sites.mjs'
import { makeCertificate } from '../static-servers.mjs'
import { median } from '../statistics.mjs'
import { steadyLoad } from '../steady-load.mjs'
import { clientOf } from '../svc.mjs'

const perSecond = 500
const rounds = 3
const [site, app] = ['steady-site.localhost', 'steady-app.localhost']
const program = new URL('../../packages/server/bin/svcd.js', import.meta.url).pathname

export async function measure({ dir }) {
  const certificate = makeCertificate(dir, site)
  const service = await startService(certificate)
  try {
    const { api, deploy } = clientOf(service.port, await service.machine.token('bench'))
    for (const [host, { tarball }] of [
      [site, makeSite(dir, 'site', { files: 1 })],
      [app, makeApp(dir)],
    ]) {
      const name = host.split('.')[0]
      await api('POST', '/projects', { name })
      await deploy(name, tarball)
    }
    const ca = readFileSync(certificate.cert)
    const { port, tlsPort } = service
    const visits = {
      'static site': () => http1({ host: site, port }, true),
      'static site, TLS': () => http1({ host: site, port: tlsPort, ca }, true),
      'server app': () => http1({ host: app, port }, true),
    }
    const rows = []
    for (const [what, makeClient] of Object.entries(visits))
      rows.push(...(await measureVisits(what, makeClient, service)))
    return rows
  } finally {
    await service.remove()
  }
}

async function measureVisits(what, makeClient, service) {
  const expected = await makeClient()()
  if (!expected.startsWith('200 ')) throw new Error(`${what}: ${expected.slice(0, 200)}`)
  const feel = async during => {
    const load = steadyLoad(makeClient, expected, perSecond)
    await sleep(2_000)
    await during()
    await sleep(2_000)
    return await load.stop()
  }
  const ways = { rest: () => sleep(3_000), reload: service.reload, restart: service.restart }
  const felt = { rest: [], reload: [], restart: [] }
  for (let round = 0; round < rounds; round++)
    for (const [way, during] of Object.entries(ways)) felt[way].push(await feel(during))
  const failures = Object.values(felt).flatMap(all => all.flatMap(({ failures }) => failures))
  for (const words of new Set(failures)) console.error(`${what}: ${words}`)
  const failed = way => felt[way].reduce((sum, one) => sum + one.failed, 0)
  const longest = way => median(felt[way].map(one => one.longest))
  const other = 'with no restart'
  return ['reload', 'restart'].flatMap(way => {
    const requests = felt[way].reduce((sum, one) => sum + one.requests, 0)
    const during = `\`systemctl ${way}\`, ${what}`
    return [
      {
        what: `${during}: failed of ${requests.toLocaleString('en')}`,
        unit: 'requests',
        svc: failed(way),
        limit: 0,
      },
      { what: `${during}: longest request`, unit: 'ms', svc: longest(way), other, value: longest('rest') },
    ]
  })
}

/** svcd on listening sockets that stay, as systemd keeps them for `svcd.socket`. */
async function startService({ cert, key }) {
  const sockets = [await bindSocket('127.0.0.1', 0), await bindSocket('127.0.0.1', 0)]
  const [port, tlsPort] = sockets.map(socket => socket.port)
  const machine = await Machine.make({
    // All visitors have one address here, and each of those that wait has a connection.
    ...{ SVCD_BILLING: 'off', SVCD_LOG_LEVEL: 'info', SVCD_MAX_CONNECTIONS_PER_IP: '0' },
    ...{ SVCD_PORT: `${port}`, SVCD_TLS_PORT: `${tlsPort}`, SVCD_TLS_CERT: cert, SVCD_TLS_KEY: key },
  })
  const start = async () => {
    const env = { PATH: process.env.PATH, ...machine.environment, LISTEN_FDS: '2' }
    const stdio = ['ignore', 'pipe', 'pipe', ...sockets.map(({ fd }) => fd)]
    const command = ['-c', 'LISTEN_PID=$$ exec "$@"', 'sh', process.execPath, program, 'start']
    const svcd = new Svcd(spawn('sh', command, { cwd: machine.dataDir, env, stdio }))
    await svcd.ready()
    return svcd
  }
  let svcd = await start()
  const successors = () =>
    svcd.stderr.filter(line => line.includes('is to replace this one')).map(line => JSON.parse(line).pid)
  const pid = () => successors().at(-1) ?? svcd.child.pid
  const end = async () => {
    const last = pid()
    process.kill(last, 'SIGTERM')
    while (isAlive(last)) await sleep(5)
  }
  return {
    ...{ machine, port, tlsPort },
    async reload() {
      const before = pid()
      process.kill(before, 'SIGHUP')
      while (isAlive(before)) await sleep(5)
      if (pid() === before) throw new Error(`svcd was not replaced:\n${svcd.stderr.slice(-20).join('\n')}`)
    },
    async restart() {
      await end()
      svcd = await start()
    },
    async remove() {
      await end()
      for (const socket of sockets) socket.close()
      await machine.remove()
    },
  }
}

function isAlive(pid) {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false // It has ended, and was waited for.
  }
}

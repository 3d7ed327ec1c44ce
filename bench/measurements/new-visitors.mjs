// How long a new visitor waits for the first byte while others never stop asking, beside nginx; and the memory of idle connections.
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { host, withLongTail } from '../long-tail-servers.mjs'
import { keepBusy } from '../mix-load.mjs'
import { memoryOf } from '../processes.mjs'
import { interleave, median } from '../statistics.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const busyCounts = [0, 32, 128, 512]
const visitors = 15
const busySeconds = 6
const idleConnections = 1000

export async function measure({ dir }) {
  return await withLongTail(dir, { seed: 'one', most: 200 }, async servers => {
    // First, while the servers have no memory left over from earlier connections.
    const [svc, nginx] = [await memoryOfIdle(servers.svc), await memoryOfIdle(servers.nginx)]
    const what = 'memory of an idle TLS connection'
    const rows = [{ what, unit: 'KB', svc, other: 'nginx', value: nginx }]
    for (const busy of busyCounts) {
      const wait = server => () => waitOfNewVisitors(server, busy)
      const { svc, nginx } = await interleave(rounds, { svc: wait(servers.svc), nginx: wait(servers.nginx) })
      const what = `first byte of a new visitor beside ${busy} busy ones, TLS, HTTP/2`
      rows.push({
        what,
        unit: 'ms (p50)',
        svc,
        other: 'nginx',
        value: nginx,
        atMost: busy > 0 ? 3 : undefined,
      })
    }
    return rows
  })
}

async function waitOfNewVisitors(server, busy) {
  const load =
    busy > 0 ? keepBusy(server, { uris: server.uris, connections: busy, seconds: busySeconds }) : undefined
  // Until the busy visitors are connected.
  await sleep(busy > 0 ? 2_000 : 0)
  const waits = []
  for (let i = 0; i < visitors; i++) waits.push(await firstByte(server))
  await load
  return median(waits)
}

async function firstByte({ tlsPort }) {
  const began = performance.now()
  const session = connectHttp2(`https://127.0.0.1:${tlsPort}`, {
    servername: host,
    rejectUnauthorized: false,
  })
  const request = session.request({ ':authority': host, ':path': '/' })
  await once(request, 'response')
  const took = performance.now() - began
  session.destroy()
  return took
}

/** In KB, from what `idleConnections` of them take. */
async function memoryOfIdle(server) {
  const before = memoryOf(server.pid).pss
  const options = { host: '127.0.0.1', port: server.tlsPort, servername: host, ALPNProtocols: ['h2'] }
  const sockets = []
  for (let i = 0; i < idleConnections; i++) {
    const socket = connect({ ...options, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    sockets.push(socket)
  }
  const taken = memoryOf(server.pid).pss - before
  for (const socket of sockets) socket.destroy()
  return (taken * 1024) / idleConnections
}

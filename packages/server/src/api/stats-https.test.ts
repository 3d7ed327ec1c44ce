import { connect as connectHttp2 } from 'node:http2'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { protocols, secureSocket } from '../testing/https.ts'
import { httpsDomain as domain, startHttpsServer } from '../testing/https-server.ts'
import { send } from '../testing/send.ts'
import type { TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

let server: TestServer
let ca: string
let remove: () => Promise<void>
beforeAll(async () => {
  ;({ server, ca, remove } = await startHttpsServer())
})
afterAll(() => remove?.())

it.each(['h2', 'http/1.1'] as const)('an answer by HTTPS is counted: %s', async protocol => {
  const owner = await server.account()
  const site = await deploySite(server, owner.token, {
    'index.html': 'hello',
    'big.txt': 'x'.repeat(500_000),
  })
  const visit = (path: string) =>
    protocols[protocol]({ port: server.running.tlsPort!, ca, host: `${site}.${domain}`, path })
  for (const path of ['/', '/', '/big.txt', '/missing']) await visit(path)
  const stats = async () => (await send(server, `GET /projects/${site}/stats`, owner)).json
  await eventually(async () => (await stats()).totals.requests === 4)
  const { hostnames, top_paths, status } = await stats()
  expect(status).toMatchObject({ '2xx': 3, '4xx': 1 })
  expect(hostnames).toMatchObject([{ hostname: `${site}.${domain}`, requests: 4 }])
  expect(top_paths).toContainEqual({ path: '/', requests: 2, bytes: 10 })
  expect(top_paths).toContainEqual({ path: '/big.txt', requests: 1, bytes: 500_000 })
})

it('a download by HTTP/2 whose connection breaks is counted as far as it went', async () => {
  const owner = await server.account()
  const site = await deploySite(server, owner.token, { 'huge.bin': 'x'.repeat(20_000_000) })
  const host = `${site}.${domain}`
  const socket = await secureSocket({
    port: server.running.tlsPort!,
    ca,
    servername: host,
    ALPNProtocols: ['h2'],
  })
  const session = connectHttp2(`https://${host}`, { createConnection: () => socket })
  session.on('error', () => undefined)
  const stream = session.request({ ':path': '/huge.bin' })
  stream.on('error', () => undefined)
  await new Promise(resolve => stream.once('data', resolve))
  session.destroy()
  const stats = async () => (await send(server, `GET /projects/${site}/stats`, owner)).json
  await eventually(async () => (await stats()).totals.requests === 1)
  const { totals } = await stats()
  expect(totals.bytes).toBeGreaterThan(0)
  expect(totals.bytes).toBeLessThan(20_000_000)
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databases } from '../testing/databases.ts'
import { eventually } from '../testing/eventually.ts'
import { protocols, secureSocket } from '../testing/https.ts'
import { usePebble } from '../testing/pebble.ts'
import { TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

const pebble = usePebble()

describe.each(databases())('a platform whose port 80 nobody reaches, on %s', engine => {
  let server: TestServer
  beforeAll(async () => {
    // Without a target, the gateway closes all connections.
    pebble().gateway.targets = []
    const settings = { SVCD_PLATFORM_DOMAIN: 'shut.test', ...pebble().environment() }
    server = await TestServer.start(engine, settings)
    pebble().tlsGateway.targets = [server.running.tlsPort!]
  })
  afterAll(() => server?.remove())

  const rowOf = (name: string) =>
    server.running.platform.store.db
      .selectFrom('certificates')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirst()
  const issued = (host: string) =>
    eventually(async () => {
      const row = await rowOf(host)
      const isWaiting = row?.state === 'failed' || row?.waiting_for
      if (row && isWaiting) server.clock.advance(Math.max(row.next_at - server.clock.now() + 1, 0))
      return row?.state === 'valid'
    })
  const open = (host: string) =>
    protocols.h2({ port: server.running.tlsPort!, ca: pebble().root, host, path: '/' })

  it('gets its certificates by TLS (TLS-ALPN-01), and those of projects', async () => {
    await issued('app.shut.test')
    const { token } = await server.account()
    const site = await deploySite(server, token, { 'index.html': 'hello' })
    await issued(`${site}.shut.test`)
    expect((await open(`${site}.shut.test`)).text).toBe('hello')
    expect(await rowOf(`${site}.shut.test`)).toMatchObject({ error: null, challenge_token: null })
  })

  it('serves visitors while a challenge is pending, and shows its certificate to nobody else', async () => {
    const { token } = await server.account()
    const site = await deploySite(server, token, { 'index.html': 'hello' })
    const host = `${site}.shut.test`
    await issued(host)
    const { store } = server.running.platform
    await store.transact(async (tx, changed) => {
      const to = { challenge_token: 'a-token', challenge_answer: 'an-answer' }
      await tx.updateTable('certificates').set(to).where('name', '=', host).execute()
      await changed({ topic: 'certificate', key: host })
    })
    const { alpnProbe } = server.running.platform
    const shown = await eventually(() => alpnProbe({ host, address: '127.0.0.1' }))
    expect(shown?.toString('latin1')).toContain(host)
    expect(await alpnProbe({ host: 'app.shut.test', address: '127.0.0.1' })).toBeUndefined()
    for (let time = 0; time < 5; time++) expect((await open(host)).text).toBe('hello')
    const socket = await secureSocket({ port: server.running.tlsPort!, ca: pebble().root, servername: host })
    expect(socket.getPeerCertificate().subjectaltname).toContain(host)
    socket.destroy()
  })
})

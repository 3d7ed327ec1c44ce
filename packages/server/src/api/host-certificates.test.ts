import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archiveOf } from '../testing/archives.ts'
import { databases } from '../testing/databases.ts'
import { eventually } from '../testing/eventually.ts'
import { protocols, secureSocket } from '../testing/https.ts'
import { usePebble } from '../testing/pebble.ts'
import { TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

const day = 86_400_000

const pebble = usePebble()

describe.each(databases())('a platform with a domain and an email alone, on %s', engine => {
  let server: TestServer
  let token: string
  let other: Server
  beforeAll(async () => {
    // Another program has port 80 for now.
    other = createServer((_req, res) => res.writeHead(404).end()).listen(0, '127.0.0.1')
    await once(other, 'listening')
    pebble().gateway.targets = [(other.address() as AddressInfo).port]
    server = await TestServer.start(engine, { SVCD_PLATFORM_DOMAIN: 'own.test', ...pebble().environment() })
    token = (await server.account()).token
  })
  afterAll(async () => {
    other?.close()
    await server?.remove()
  })

  const open = (host: string, path = '/') =>
    protocols.h2({ port: server.running.tlsPort!, ca: pebble().root, host, path })
  const certificateOf = async (servername: string) => {
    const socket = await secureSocket({ port: server.running.tlsPort!, ca: pebble().root, servername }).catch(
      () => undefined,
    )
    const { subjectaltname = '', serialNumber } = socket?.getPeerCertificate() ?? {}
    socket?.destroy()
    return { names: subjectaltname.split(', ').map(name => name.slice(4)), serialNumber }
  }
  const shows = async (name: string) => (await certificateOf(name)).serialNumber !== undefined
  const rowsOf = async (...names: string[]) => {
    const { db } = server.running.platform.store
    return await db.selectFrom('certificates').selectAll().where('name', 'in', names).execute()
  }
  /** Waits for the certificate. An attempt that failed or waits is repeated at once. */
  const issued = (host: string, isRight = async (): Promise<unknown> => true) =>
    eventually(async () => {
      const [row] = await rowsOf(host)
      const isWaiting = row?.state === 'failed' || row?.waiting_for
      if (row && isWaiting) server.clock.advance(Math.max(row.next_at - server.clock.now() + 1, 0))
      return row?.state === 'valid' && (await isRight())
    })
  const ask = (host: string, path: string, method = 'GET') =>
    server.request(path, { host, method, headers: { accept: 'text/html' } })

  it('takes no passwords before it has its certificate, and says so', async () => {
    for (const host of ['app.own.test', 'api.own.test', 'own.test']) {
      const answer = await ask(host, '/setup')
      expect([answer.status, answer.headers.refresh]).toEqual([503, '5'])
      expect(answer.text).toContain('fetching its certificate')
    }
    const signIn = await server.request('/auth/sign-in', { host: 'api.own.test', method: 'POST', body: {} })
    expect(signIn.status).toBe(503)
    // On the machine itself everything works as without HTTPS.
    expect((await server.request('/health')).status).toBe(200)
  })

  it('gets certificates for all of its own hosts, which share them', async () => {
    pebble().gateway.targets = [server.running.port]
    // It looks again after 15 seconds.
    server.clock.advance(20_000)
    const hosts = ['', 'ai.', 'api.', 'app.', 'dashboard.', 'docs.', 'status.'].map(
      label => `${label}own.test`,
    )
    for (const host of hosts) await issued(host)
    const { names } = await certificateOf('app.own.test')
    expect(names.length).toBeGreaterThan(1)
    expect(hosts).toEqual(expect.arrayContaining(names))
    expect((await open('app.own.test', '/setup')).status).toBe(200)
    const plain = await ask('app.own.test', '/setup')
    expect([plain.status, plain.headers.location]).toEqual([308, 'https://app.own.test/setup'])
  })

  it('gets a certificate for a project with its first deployment, and removes it with the project', async () => {
    const site = await deploySite(server, token, { 'index.html': 'hello' })
    const host = `${site}.own.test`
    await issued(host)
    expect((await open(host)).text).toBe('hello')
    expect((await ask(host, '/')).status).toBe(308)
    await server.request(`/projects/${site}`, { method: 'DELETE', token })
    await eventually(async () => (await rowsOf(host)).length === 0)
    const { db } = server.running.platform.store
    const keys = await db.selectFrom('tls_keys').select('id').where('id', 'like', `%${host}`).execute()
    expect(keys).toEqual([])
  })

  it('renews the certificates of its own hosts and of projects together', async () => {
    const site = await deploySite(server, token, { 'index.html': 'hello' })
    const host = `${site}.own.test`
    await issued(host)
    const before = await certificateOf(host)
    const [row] = await rowsOf(host)
    server.clock.advance(row!.next_at - server.clock.now() + day)
    await issued(host, async () => (await certificateOf(host)).serialNumber !== before.serialNumber)
    const { names } = await certificateOf(host)
    expect(names).toContain('app.own.test')
  })

  it('gets the certificate of a permanent URL when a visitor asks for it, and does not renew it', async () => {
    const site = await deploySite(server, token, { 'index.html': 'first' })
    const { json } = await server.request(`/projects/${site}/deployments`, { token })
    const host = `${json.deployments[0].id.replace('_', '-')}--${site}.own.test`
    expect(await rowsOf(host)).toEqual([])
    // The first visitor asks for it, and waits for some seconds.
    await shows(host)
    await issued(host)
    expect((await open(host)).text).toBe('first')
    const [row] = await rowsOf(host)
    expect(row).toMatchObject({ state: 'valid', on_demand: 1 })
    // A day before its end it is deleted, and the next visitor gets a new one.
    server.clock.advance(row!.expires_at! - server.clock.now() - day + 1)
    await eventually(async () => (await rowsOf(host)).length === 0)
  })

  it('asks for nothing that has no site, however often', async () => {
    const site = await deploySite(server, token, { 'index.html': 'hello' })
    await issued(`${site}.own.test`)
    const before = pebble().orders
    const missing = ['nobody', `some-branch--${site}`, `dep-0123456789abcdef--${site}`, 'mail', 'a.b']
    for (const label of missing) expect(await shows(`${label}.own.test`)).toBe(false)
    expect(await rowsOf(...missing.map(label => `${label}.own.test`))).toEqual([])
    expect(pebble().orders).toBe(before)
  })

  it('asks for the host of a branch as the platform writes it alone, not for other spellings', async () => {
    const site = await deploySite(server, token, { 'index.html': 'hello' })
    await issued(`${site}.own.test`)
    const upload = async (branch: string): Promise<string> => {
      const archive = archiveOf({ 'index.html': branch })
      const { json } = await server.upload(token, site, archive, `?branch=${branch}`)
      return new URL(json.url).hostname
    }
    await upload('fix-42')
    const host = await upload('qa')
    const others = [`qa--${site}.own.test`, `fix--42--${site}.own.test`]
    for (const other of others) expect(await shows(other)).toBe(false)
    expect(await rowsOf(...others)).toEqual([])
    await shows(host)
    await issued(host)
    expect((await open(host)).text).toBe('qa')
  })

  it('lets no owner wait for more than 25 previews at a time', async () => {
    const site = await deploySite(server, token, { 'index.html': 'hello' })
    await issued(`${site}.own.test`)
    const { platform } = server.running
    const [{ project_id } = { project_id: null }] = await rowsOf(`${site}.own.test`)
    const { json } = await server.request(`/projects/${site}/deployments`, { token })
    const later = platform.clock.now() + day
    for (let count = 0; count < 25; count++)
      await platform.store.db
        .insertInto('certificates')
        .values({
          ...{ name: `b${count}--${site}.own.test`, project_id, on_demand: 1, state: 'pending' as const },
          ...{ next_at: later, failures: 0, created_at: 1 },
        })
        .execute()
    const host = `${json.deployments[0].id.replace('_', '-')}--${site}.own.test`
    expect(await shows(host)).toBe(false)
    expect(await rowsOf(host)).toEqual([])
  })
})

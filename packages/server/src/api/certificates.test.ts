import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databases } from '../testing/databases.ts'
import { eventually } from '../testing/eventually.ts'
import { protocols, secureSocket } from '../testing/https.ts'
import { usePebble } from '../testing/pebble.ts'
import { TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'
import { addReceiver } from '../testing/webhook-receiver.ts'

const day = 86_400_000
const newDomain = () => `www.d${randomBytes(5).toString('hex')}.example`

const pebble = usePebble()

describe.each(databases())('certificates on %s', engine => {
  let server: TestServer
  let token: string
  let site: string
  beforeAll(async () => {
    server = await TestServer.start(engine, {
      SVCD_PLATFORM_DOMAIN: 'platform.test',
      ...pebble().environment(),
    })
    pebble().gateway.targets = [server.running.port]
    token = (await server.account()).token
    site = await deploySite(server, token, { 'index.html': 'hello' })
    // The platform's own hosts get theirs first, so that the tests count only the orders of their domains.
    await eventually(() => isStored(`${site}.platform.test`))
  })
  afterAll(() => server?.remove())

  const isStored = async (name: string) => {
    const { db } = server.running.platform.store
    const row = await db
      .selectFrom('certificates')
      .select('state')
      .where('name', '=', name)
      .executeTakeFirst()
    return row?.state === 'valid'
  }
  const at = (domain: string, rest = '') => `/projects/${site}/domains/${domain}${rest}`
  const attach = (domain: string) =>
    server.request(`/projects/${site}/domains`, { method: 'POST', token, body: { domain } })
  const status = async (domain: string) => (await server.request(at(domain, '/certificate'), { token })).json
  const refresh = async (domain: string) =>
    (await server.request(at(domain, '/certificate/refresh'), { method: 'POST', token })).json
  const isReady = async (domain: string) => {
    const { json } = await server.request(`/projects/${site}`, { token })
    return json.domains.find((row: { domain: string }) => row.domain === domain)?.tls_ready
  }
  const serialOf = async (domain: string) => {
    const socket = await secureSocket({
      port: server.running.tlsPort!,
      ca: pebble().root,
      servername: domain,
    })
    const { serialNumber } = socket.getPeerCertificate()
    socket.destroy()
    return serialNumber
  }

  it('are issued, served, renewed, and gone with their domain', async () => {
    const domain = newDomain()
    const attached = await attach(domain)
    expect([attached.status, attached.json.tls_ready]).toEqual([201, false])
    await eventually(() => isReady(domain))
    expect(await refresh(domain)).toEqual({ ok: true, domain, tls_ready: true })
    expect((await attach(domain)).json.tls_ready).toBe(true)

    for (const protocol of ['h2', 'http/1.1'] as const) {
      const answer = await protocols[protocol]({
        port: server.running.tlsPort!,
        ca: pebble().root,
        host: domain,
      })
      expect([answer.status, answer.text]).toEqual([200, 'hello'])
    }
    const plain = await server.request('/x?y=z', { host: domain })
    expect([plain.status, plain.headers.location]).toEqual([308, `https://${domain}/x?y=z`])

    const { issuance } = await status(domain)
    expect(issuance).toMatchObject({ state: 'valid', waiting_for: null, last_error: null })
    const renewal = Date.parse(issuance.next_attempt_at)
    const left = (Date.parse(issuance.expires_at) - renewal) / (Date.parse(issuance.expires_at) - Date.now())
    expect(left).toBeGreaterThan(0.33)
    expect(left).toBeLessThan(0.35)

    const before = await serialOf(domain)
    server.clock.advance(renewal - server.clock.now() + day)
    await eventually(async () => (await serialOf(domain)) !== before)
    expect(await isReady(domain)).toBe(true)

    await server.request(at(domain), { method: 'DELETE', token })
    await expect(serialOf(domain)).rejects.toThrow()
    expect((await server.request('/', { host: domain })).status).toBe(404)
    const { db } = server.running.platform.store
    const keys = await db.selectFrom('tls_keys').select('id').where('domain', '=', domain).execute()
    expect(keys).toEqual([])
  })

  it('keep their private keys sealed', async () => {
    const domain = newDomain()
    await attach(domain)
    await eventually(() => isReady(domain))
    const { db } = server.running.platform.store
    const row = await db.selectFrom('certificates').selectAll().where('name', '=', domain).executeTakeFirst()
    const keys = await db.selectFrom('tls_keys').selectAll().execute()
    expect(keys.map(key => key.id)).toContain(`certificate ${domain}`)
    expect(JSON.stringify([row, keys])).not.toContain('PRIVATE KEY')
    expect(keys.every(key => key.key_id === server.running.platform.keyring.current.id)).toBe(true)
  })

  it('answer challenges of their own host alone, and only while these are pending', async () => {
    const domain = newDomain()
    const path = '/.well-known/acme-challenge/'
    await attach(domain)
    await eventually(() => isReady(domain))
    const { db } = server.running.platform.store
    const row = await db.selectFrom('certificates').selectAll().where('name', '=', domain).executeTakeFirst()
    expect([row?.challenge_token, row?.challenge_answer]).toEqual([null, null])
    const own = await deploySite(server, token, { '.well-known/acme-challenge/mine': "the site's own" })
    await eventually(() => isStored(`${own}.platform.test`))
    const answer = await protocols.h2({
      ...{ port: server.running.tlsPort!, ca: pebble().root, host: `${own}.platform.test` },
      path: `${path}mine`,
    })
    expect([answer.status, answer.text]).toEqual([200, "the site's own"])
  })

  it('wait for their DNS, say so, and look again when they are told to', async () => {
    const domain = newDomain()
    const elsewhere = newDomain()
    await pebble().dns('set-cname', { host: domain, target: elsewhere })
    await pebble().dns('add-a', { host: elsewhere, addresses: ['127.0.0.77'] })
    const before = pebble().orders
    await attach(domain)
    // It is looked at every now and then, and what it waits for is told in between.
    let seen = await status(domain)
    await eventually(async () => {
      seen = await status(domain)
      return seen.issuance.state === 'pending' && seen.issuance.waiting_for?.startsWith(domain)
    })
    const { dns, issuance, reachable } = seen
    expect(reachable).toBe(false)
    expect(dns).toEqual({
      points_here: false,
      create: [{ type: 'CNAME', name: domain, value: 'edge.platform.test' }],
      found: { cname: [elsewhere], a: ['127.0.0.77'], aaaa: [] },
    })
    expect(issuance.waiting_for).toBe(
      `${domain} points at ${elsewhere}, 127.0.0.77, not at edge.platform.test.`,
    )
    expect(issuance.next_attempt_at).not.toBeNull()
    expect(await refresh(domain)).toEqual({ ok: true, domain, tls_ready: false })
    expect(pebble().orders).toBe(before)

    await pebble().dns('clear-cname', { host: domain })
    await refresh(domain)
    await eventually(() => isReady(domain))
  })

  it('back off after a failure, tell a webhook of it, and come in the end', async () => {
    const domain = newDomain()
    const { all, target, bodies } = await addReceiver(server, { token }, site, ['certificate.failed'])
    const deliveries = async () =>
      (await server.request(`${all}/${target.id}/deliveries`, { token })).json.deliveries.map(
        ({ state }: { state: string }) => state,
      )
    pebble().gateway.refuse = /pebble/i
    await attach(domain)
    await eventually(async () => (await status(domain)).issuance.state === 'failed')
    const { issuance } = await status(domain)
    expect(issuance.last_error).toBeTruthy()
    const wait = Date.parse(issuance.next_attempt_at) - server.clock.now()
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(5 * 60_000)

    await refresh(domain)
    const { json } = await server.request(`/projects/${site}/audit`, { token })
    expect(json.entries[0]).toMatchObject({ action: 'certificate.refresh', target: domain })
    await eventually(async () => {
      const { issuance } = await status(domain)
      return Date.parse(issuance.next_attempt_at) - server.clock.now() > 60_000
    })

    // The clock must not reach the time limit of the webhook while it is sent: it would be sent again, maybe after the next one.
    await eventually(async () => (await deliveries()).join() === 'delivered')
    pebble().gateway.refuse = undefined
    server.clock.advance(11 * 60_000)
    await eventually(() => isReady(domain))
    await eventually(() => bodies().length === 2)
    const [failed, recovered] = bodies()
    expect(failed).toMatchObject({ type: 'certificate.failed', subject: domain, project: site })
    expect(failed.error).toBe(issuance.last_error)
    expect(recovered).toMatchObject({ type: 'certificate.recovered', subject: domain })
  })

  it('cost one order however often they are asked for', async () => {
    const domain = newDomain()
    const before = pebble().orders
    await attach(domain)
    await Promise.all(Array.from({ length: 20 }, () => Promise.all([attach(domain), refresh(domain)])))
    await eventually(() => isReady(domain))
    await Promise.all(Array.from({ length: 5 }, () => refresh(domain)))
    expect(pebble().orders - before).toBe(1)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomText } from '../lib/ids.ts'
import { databases } from '../testing/databases.ts'
import { DnsServer } from '../testing/dns-server.ts'
import { eventually } from '../testing/eventually.ts'
import { startMailServer } from '../testing/mail-server.ts'
import { TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

const day = 86_400_000
const newDomain = () => `www.d${randomText(10)}.example`

interface Site {
  token: string
  name: string
}

let dns: DnsServer
beforeAll(async () => {
  dns = await DnsServer.start()
  dns.set('edge.localhost', { A: ['192.0.2.80'] })
})
afterAll(() => dns?.stop())

function actions(server: () => TestServer) {
  const attach = (site: Site, domain: string, body: object = {}) =>
    server().request(`/projects/${site.name}/domains`, {
      method: 'POST',
      token: site.token,
      body: { domain, ...body },
    })
  return {
    attach,
    detach: (site: Site, domain: string) =>
      server().request(`/projects/${site.name}/domains/${domain}`, { method: 'DELETE', token: site.token }),
    /** A site of a new account, which shows its own name. */
    async newSite(): Promise<Site> {
      const { token } = await server().account()
      return {
        token,
        name: await deploySite(server(), token, { 'index.html': `site of ${token.slice(-6)}` }),
      }
    },
    /** What a visitor of the domain sees. */
    visit: async (domain: string) => {
      const { status, text } = await server().request('/', { host: domain })
      return status === 200 ? text : status
    },
    shownBy: ({ token }: Site) => `site of ${token.slice(-6)}`,
    /** Creates the record that the answer to a claim names. */
    async prove(site: Site, domain: string): Promise<void> {
      const { json } = await attach(site, domain)
      const { name, value } = json.error?.proof ?? json.proof
      dns.addTxt(name, value)
    },
    auditOf: async ({ token, name }: Site) =>
      (await server().request(`/projects/${name}/audit`, { token })).json.entries,
  }
}

describe.each(databases())('a domain that is claimed, on %s', engine => {
  let server: TestServer
  const { attach, detach, newSite, visit, shownBy, prove, auditOf } = actions(() => server)
  beforeAll(async () => {
    server = await TestServer.start(engine, { SVCD_DNS_SERVERS: dns.address })
  })
  afterAll(() => server?.remove())

  it('is attached and served at once, without any proof', async () => {
    const [site, domain] = [await newSite(), newDomain()]
    const { status, json } = await attach(site, domain)
    expect([status, Object.keys(json).sort()]).toEqual([
      201,
      ['branch', 'build_id', 'dns_target', 'domain', 'tls_ready'],
    ])
    expect(await visit(domain)).toBe(shownBy(site))
  })

  it('names the record that proves whose it is, another for each claimant', async () => {
    const [holder, one, two] = [await newSite(), await newSite(), await newSite()]
    const domain = newDomain()
    await attach(holder, domain)
    const answers = [await attach(one, domain), await attach(two, domain), await attach(one, domain)]
    const proofs = answers.map(({ status, json }) => {
      const { code, message, proof } = json.error
      expect([status, code]).toEqual([409, 'domain_taken'])
      expect(proof).toEqual({ type: 'TXT', name: `_svc-challenge.${domain}`, value: expect.any(String) })
      expect(message).toContain(`_svc-challenge.${domain} TXT ${proof.value}`)
      expect(message).not.toContain(holder.name)
      return proof.value
    })
    expect(proofs[0]).toBe(proofs[2])
    expect(proofs[0]).not.toBe(proofs[1])
    expect(await visit(domain)).toBe(shownBy(holder))
  })

  it('moves to whoever proves it, with a line in both logs that names nobody else', async () => {
    const [holder, owner, domain] = [await newSite(), await newSite(), newDomain()]
    await attach(holder, domain)
    await prove(owner, domain)
    const moved = await attach(owner, domain)
    expect([moved.status, moved.json.domain]).toEqual([201, domain])
    expect(await visit(domain)).toBe(shownBy(owner))
    expect((await detach(holder, domain)).status).toBe(404)
    const [lost] = await auditOf(holder)
    expect(lost).toMatchObject({ action: 'domain.move', target: domain, actor: null, ip: null })
    const [won] = await auditOf(owner)
    expect(won).toMatchObject({ action: 'domain.move', target: domain, actor: expect.any(String) })
    expect((await attach(holder, domain)).json.error.code).toBe('domain_taken')
  })

  it.each([
    ['the value of another account', (name: string) => dns.addTxt(name, `svc-verify=${'0'.repeat(40)}`)],
    ['an empty value', (name: string) => dns.addTxt(name, '')],
    ['no DNS server that answers', () => undefined],
  ])('does not move with %s', async (_, put) => {
    const [holder, thief, domain] = [await newSite(), await newSite(), newDomain()]
    await attach(holder, domain)
    put(`_svc-challenge.${domain}`)
    expect((await attach(thief, domain)).status).toBe(409)
    expect(await visit(domain)).toBe(shownBy(holder))
  })

  it('is not proved by a record of its parent, its child, or another domain of the owner', async () => {
    const [holder, thief, domain] = [await newSite(), await newSite(), newDomain()]
    const parent = domain.replace('www.', '')
    await attach(holder, domain)
    await attach(holder, parent)
    await prove(thief, parent)
    expect((await attach(thief, parent)).status).toBe(201)
    expect((await attach(thief, domain)).status).toBe(409)
    expect((await attach(holder, parent)).status).toBe(409)
  })

  it('moves between projects of one owner by a detach alone, not by proof', async () => {
    const { token } = await server.account()
    const [one, two] = [
      { token, name: await deploySite(server, token, { 'index.html': 'one' }) },
      { token, name: await deploySite(server, token, { 'index.html': 'two' }) },
    ]
    const domain = newDomain()
    await attach(one, domain)
    const refused = await attach(two, domain)
    expect([refused.status, refused.json.error.proof]).toEqual([409, undefined])
    expect(refused.json.error.message).toContain('another project of yours')
    await detach(one, domain)
    expect((await attach(two, domain)).status).toBe(201)
  })

  it('goes to one of two claimants who come at once, each with proof', async () => {
    const [holder, one, two] = [await newSite(), await newSite(), await newSite()]
    for (const _ of [1, 2, 3]) {
      const domain = newDomain()
      await attach(holder, domain)
      await prove(one, domain)
      await prove(two, domain)
      const answers = await Promise.all([attach(one, domain), attach(two, domain)])
      for (const { status } of answers) expect([201, 409]).toContain(status)
      expect(answers.map(({ status }) => status)).toContain(201)
      expect([shownBy(one), shownBy(two)]).toContain(await visit(domain))
    }
  })

  it('is moved, or goes with its project, and never fails', async () => {
    for (const _ of [1, 2, 3]) {
      const [holder, owner, domain] = [await newSite(), await newSite(), newDomain()]
      await attach(holder, domain)
      await prove(owner, domain)
      const answers = await Promise.all([
        attach(owner, domain),
        server.request(`/projects/${holder.name}`, { method: 'DELETE', token: holder.token }),
        attach(owner, domain),
      ])
      expect(answers.filter(({ status }) => status >= 500)).toEqual([])
      expect([200, 201]).toContain((await attach(owner, domain)).status)
      expect(await visit(domain)).toBe(shownBy(owner))
    }
  })

  it('waits 30 days for its former owner after a detach', async () => {
    const [former, other, domain] = [await newSite(), await newSite(), newDomain()]
    await attach(former, domain)
    await detach(former, domain)
    const refused = await attach(other, domain)
    expect([refused.status, refused.json.error.code]).toEqual([409, 'domain_taken'])
    expect(refused.json.error.proof.name).toBe(`_svc-challenge.${domain}`)
    expect((await attach(former, domain)).status).toBe(201)
    await detach(former, domain)
    server.clock.advance(29 * day)
    expect((await attach(other, domain)).status).toBe(409)
    server.clock.advance(day + 1)
    expect((await attach(other, domain)).status).toBe(201)
  })

  it('needs no wait where a claimant brings proof, and then waits for them', async () => {
    const [former, owner, domain] = [await newSite(), await newSite(), newDomain()]
    await attach(former, domain)
    await detach(former, domain)
    await prove(owner, domain)
    expect((await attach(owner, domain)).status).toBe(201)
    await detach(owner, domain)
    expect((await attach(former, domain)).status).toBe(409)
  })

  it('counts as detached when its project is deleted', async () => {
    const [former, other, domain] = [await newSite(), await newSite(), newDomain()]
    await attach(former, domain)
    await server.request(`/projects/${former.name}`, { method: 'DELETE', token: former.token })
    expect((await attach(other, domain)).status).toBe(409)
    const again = {
      token: former.token,
      name: await deploySite(server, former.token, { 'index.html': 'again' }),
    }
    expect((await attach(again, domain)).status).toBe(201)
  })

  it('belongs to the org that its project was moved into', async () => {
    const [site, domain] = [await newSite(), newDomain()]
    const org = `org-${randomText(8)}`
    await attach(site, domain)
    await server.request('/orgs', { method: 'POST', token: site.token, body: { name: org } })
    const transfer = { method: 'POST', token: site.token, body: { org } }
    expect((await server.request(`/projects/${site.name}/transfer`, transfer)).status).toBe(200)
    await detach(site, domain)
    const personal = {
      token: site.token,
      name: await deploySite(server, site.token, { 'index.html': 'mine' }),
    }
    expect((await attach(personal, domain)).status).toBe(409)
    expect((await attach(site, domain)).status).toBe(201)
  })
})

describe.each(databases())('a domain that is always to be proved, on %s', engine => {
  let server: TestServer
  const { attach, detach, newSite, visit, shownBy, prove } = actions(() => server)
  const refresh = (site: Site, domain: string) =>
    server.request(`/projects/${site.name}/domains/${domain}/certificate/refresh`, {
      method: 'POST',
      token: site.token,
    })
  const row = async ({ token, name }: Site) =>
    (await server.request(`/projects/${name}`, { token })).json.domains[0]
  beforeAll(async () => {
    server = await TestServer.start(engine, { SVCD_DNS_SERVERS: dns.address, SVCD_SIGNUPS: 'open' })
  })
  afterAll(() => server?.remove())

  it('holds its place and is not served before it is proved', async () => {
    const [site, domain] = [await newSite(), newDomain()]
    const { status, json } = await attach(site, domain)
    const proof = { type: 'TXT', name: `_svc-challenge.${domain}`, value: expect.any(String) }
    expect([status, json.verified, json.proof]).toEqual([201, false, proof])
    expect(await row(site)).toMatchObject({ domain, verified: false, proof })
    expect(await visit(domain)).toBe(404)
    const path = `/projects/${site.name}/domains/${domain}/certificate`
    const { issuance } = (await server.request(path, { token: site.token })).json
    expect(issuance.waiting_for).toContain(`${json.proof.name} TXT ${json.proof.value}`)

    dns.addTxt(json.proof.name, json.proof.value)
    const again = await attach(site, domain)
    expect([again.status, again.json.verified, again.json.proof]).toEqual([200, true, null])
    expect(await visit(domain)).toBe(shownBy(site))
    expect(await row(site)).toMatchObject({ verified: true, proof: null })
  })

  it.each([
    ['a CNAME to the target', { CNAME: ['edge.localhost'] }],
    ['the addresses of the target', { A: ['192.0.2.80'] }],
  ])('is served at once where it points here by %s', async (_, records) => {
    const [site, domain] = [await newSite(), newDomain()]
    dns.set(domain, records)
    expect((await attach(site, domain)).json).toMatchObject({ verified: true, proof: null })
    expect(await visit(domain)).toBe(shownBy(site))
  })

  it('is not proved by DNS that leads elsewhere, in part or as a whole', async () => {
    for (const A of [['192.0.2.81'], ['192.0.2.80', '192.0.2.81']]) {
      const [site, domain] = [await newSite(), newDomain()]
      dns.set(domain, { A })
      expect((await attach(site, domain)).json.verified).toBe(false)
      expect((await refresh(site, domain)).status).toBe(200)
      expect(await visit(domain)).toBe(404)
    }
  })

  it('is looked at again by itself, and on request', async () => {
    const [site, one, two] = [await newSite(), newDomain(), newDomain()]
    await attach(site, one)
    await attach(site, two)
    for (const domain of [one, two]) dns.set(domain, { CNAME: ['edge.localhost'] })
    await refresh(site, one)
    expect(await visit(one)).toBe(shownBy(site))
    server.clock.advance(60_000)
    await eventually(async () => (await visit(two)) === shownBy(site))
  })

  it('blocks nobody who brings proof', async () => {
    const [squatter, owner, domain] = [await newSite(), await newSite(), newDomain()]
    await attach(squatter, domain)
    expect((await attach(owner, domain)).status).toBe(409)
    await prove(owner, domain)
    const { status, json } = await attach(owner, domain)
    expect([status, json.verified]).toEqual([201, true])
    expect(await visit(domain)).toBe(shownBy(owner))
  })

  it('waits for nobody after a detach where it was never proved', async () => {
    const [squatter, owner, domain] = [await newSite(), await newSite(), newDomain()]
    await attach(squatter, domain)
    await detach(squatter, domain)
    expect((await attach(owner, domain)).status).toBe(201)
  })

  it('that still points here after a detach goes to its former owner alone', async () => {
    const [former, thief, domain] = [await newSite(), await newSite(), newDomain()]
    dns.set(domain, { CNAME: ['edge.localhost'] })
    await attach(former, domain)
    await detach(former, domain)
    expect((await attach(thief, domain)).status).toBe(409)
    expect(await visit(domain)).toBe(404)
    dns.set(domain, {})
    expect((await attach(former, domain)).json.verified).toBe(true)
  })
})

describe('a domain without rules of ownership', () => {
  let server: TestServer
  const { attach, detach, newSite, visit, shownBy } = actions(() => server)
  beforeAll(async () => {
    const settings = { SVCD_DNS_SERVERS: dns.address, SVCD_SIGNUPS: 'open', SVCD_DOMAIN_PROOF: 'off' }
    server = await TestServer.start('sqlite', settings)
  })
  afterAll(() => server?.remove())

  it('is whoever comes first, and free after a detach', async () => {
    const [one, two, domain] = [await newSite(), await newSite(), newDomain()]
    expect((await attach(one, domain)).json).not.toHaveProperty('verified')
    expect(await visit(domain)).toBe(shownBy(one))
    const refused = await attach(two, domain)
    expect([refused.status, refused.json.error.proof]).toEqual([409, undefined])
    await detach(one, domain)
    expect((await attach(two, domain)).status).toBe(201)
    expect(dns.asked.filter(question => question.includes(domain))).toEqual([])
  })
})

it('tells the former holder by email', async () => {
  const mail = await startMailServer()
  const server = await TestServer.start('sqlite', {
    SVCD_DNS_SERVERS: dns.address,
    SVCD_SMTP_URL: mail.url,
  })
  try {
    const { attach, newSite, prove } = actions(() => server)
    const { createAccount } = await import('../core/identity/accounts.ts')
    const { makeToken } = await import('../core/identity/tokens.ts')
    const { platform } = server.running
    const account = await createAccount(platform, {
      login: 'holder',
      password: undefined,
      email: 'holder@example.com',
    })
    const accountId = account.id
    const { token } = await makeToken(platform.store.db, Date.now(), { kind: 'cli', label: '', accountId })
    const holder = { token, name: await deploySite(server, token, { 'index.html': 'held' }) }
    const [owner, domain] = [await newSite(), newDomain()]
    await attach(holder, domain)
    await prove(owner, domain)
    await attach(owner, domain)
    await eventually(async () => mail.taken.length === 1)
    const { raw } = mail.taken[0]!
    expect(raw).toContain('To: holder@example.com')
    expect(raw).toContain(`Subject: ${domain} was moved to another owner`)
    expect(raw).not.toContain(owner.name)
  } finally {
    await server.remove()
    await mail.stop()
  }
})

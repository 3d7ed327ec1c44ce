import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databases } from '../testing/databases.ts'
import { DnsServer } from '../testing/dns-server.ts'
import { refusal, send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'
import { deploySite, setPassword } from '../testing/sites.ts'

let dns: DnsServer
beforeAll(async () => {
  dns = await DnsServer.start()
})
afterAll(() => dns.stop())

describe.each(databases())('on %s', engine => {
  let running: TestServer
  beforeAll(async () => {
    running = await TestServer.start(engine, { SVCD_DNS_SERVERS: dns.address })
  })
  afterAll(() => running?.remove())
  const server = () => running
  const unique = () => `d${crypto.randomUUID().slice(0, 8)}.example`

  async function newSite() {
    const owner = await server().account()
    const name = await deploySite(server(), owner.token, { 'index.html': 'the site', 'a.html': 'page a' })
    const apex = unique()
    const www = `www.${apex}`
    const attach = (domain: string) => send(server(), `POST /projects/${name}/domains`, owner, { domain })
    const change = (domain: string, body: unknown) =>
      send(server(), `PUT /projects/${name}/domains/${domain}`, owner, body)
    const rows = async () => (await send(server(), `GET /projects/${name}`, owner)).json.domains
    await attach(apex)
    await attach(www)
    const visit = (host: string, path = '/', method = 'GET') =>
      server().request(path, { method, headers: { host } })
    return { owner, name, apex, www, attach, change, rows, visit }
  }

  describe('a domain that redirects', () => {
    it('answers with 308 and keeps path, query and port, until it shows the site again', async () => {
      const { apex, www, change, rows, visit } = await newSite()
      expect((await visit(www)).text).toBe('the site')
      expect((await change(www, { redirect_to: apex.toUpperCase() })).status).toBe(200)
      const moved = await visit(www, '/a?x=1&y=%20')
      expect([moved.status, moved.headers.location]).toEqual([308, `http://${apex}/a?x=1&y=%20`])
      expect((await visit(`${www}:8080`, '/')).headers.location).toBe(`http://${apex}:8080/`)
      expect((await visit(www, '//evil.example/x')).headers.location).toBe(`http://${apex}//evil.example/x`)
      expect((await visit(www, '/_svc/forms/contact', 'POST')).status).toBe(308)
      expect((await visit(apex, '/a')).text).toBe('page a')
      expect(await rows()).toMatchObject([
        { domain: apex, redirect_to: null },
        { domain: www, redirect_to: apex },
      ])
      expect((await change(www, { redirect_to: null })).status).toBe(200)
      expect((await visit(www)).text).toBe('the site')
    })

    it('shows the site again when its target is removed', async () => {
      const { owner, name, apex, www, change, rows, visit } = await newSite()
      await change(www, { redirect_to: apex })
      expect((await visit(www)).status).toBe(308)
      await send(server(), `DELETE /projects/${name}/domains/${apex}`, owner)
      expect((await visit(www)).text).toBe('the site')
      expect(await rows()).toMatchObject([{ domain: www, redirect_to: null }])
    })

    it('redirects before the password of a protected site is asked for', async () => {
      const { owner, name, apex, www, change, visit } = await newSite()
      await change(www, { redirect_to: apex })
      await setPassword(server(), owner.token, name, 'open sesame')
      expect((await visit(www)).status).toBe(308)
      expect((await visit(apex)).status).toBe(401)
    })

    it('cannot lead to itself, to a stranger, in a chain or in a circle', async () => {
      const { apex, www, attach, change } = await newSite()
      const third = unique()
      await attach(third)
      const other = await newSite()
      const refused = async (domain: string, to: unknown) => {
        const answer = await change(domain, { redirect_to: to })
        return [refusal(answer), answer.json.error.message.split(':')[0]]
      }
      const no = ['400 invalid_request', 'redirect_to']
      expect(await refused(www, www)).toEqual(no)
      expect(await refused(www, other.apex)).toEqual(no)
      expect(await refused(www, 'evil.example')).toEqual(no)
      expect(refusal(await change(www, { redirect_to: 'no host/evil' }))).toBe('400 invalid_domain')
      expect(await refused(www, 7)).toEqual(no)
      expect((await change(www, { redirect_to: apex })).status).toBe(200)
      expect(await refused(apex, www)).toEqual(no)
      expect(await refused(third, www)).toEqual(no)
      expect(await refused(apex, third)).toEqual(no)
      expect(refusal(await change(www, {}))).toBe('400 invalid_request')
    })
  })

  it('a project has at most one primary domain, which cannot redirect', async () => {
    const { owner, name, apex, www, change, rows } = await newSite()
    const primary = async () =>
      (await rows())
        .filter((row: { primary: boolean }) => row.primary)
        .map((row: { domain: string }) => row.domain)
    expect(await primary()).toEqual([])
    await change(www, { primary: true })
    expect(await primary()).toEqual([www])
    expect(refusal(await change(www, { redirect_to: apex }))).toBe('400 invalid_request')
    await change(apex, { primary: true })
    expect(await primary()).toEqual([apex])
    expect((await change(www, { redirect_to: apex })).status).toBe(200)
    expect(refusal(await change(www, { primary: true }))).toBe('400 invalid_request')
    expect((await change(www, { redirect_to: null, primary: true })).status).toBe(200)
    expect(await primary()).toEqual([www])
    await change(www, { primary: false })
    expect(await primary()).toEqual([])
    const { url } = (await send(server(), `GET /projects/${name}`, owner)).json
    expect(url).toContain(name)
  })

  it('the URL of the primary domain stands beside the own one of the project, also in the list', async () => {
    const { owner, name, apex, change } = await newSite()
    const urls = async () => {
      const detail = (await send(server(), `GET /projects/${name}`, owner)).json
      const { projects } = (await send(server(), 'GET /projects', owner)).json
      const listed = projects.find((row: { name: string }) => row.name === name)
      return [detail.primary_url, listed.primary_url]
    }
    expect(await urls()).toEqual([null, null])
    await change(apex, { primary: true })
    // It has no DNS records yet.
    expect(await urls()).toEqual([null, null])
    dns.set(apex, { A: ['192.0.2.1'] })
    server().clock.advance(61_000)
    // Without a certificate of its own, the domain is reached as the platform is.
    const expected = server().running.urls.origin(apex)
    expect(await urls()).toEqual([expected, expected])
    // A domain that waits for its certificate may have no DNS records yet.
    const db = server().running.platform.store.db
    const row = {
      name: apex,
      domain: apex,
      state: 'pending',
      next_at: 5,
      failures: 0,
      on_demand: 0,
      created_at: 1,
    } as const
    await db.insertInto('certificates').values(row).execute()
    expect(await urls()).toEqual([null, null])
    await db.updateTable('certificates').set({ chain: 'PEM' }).where('name', '=', apex).execute()
    expect(await urls()).toEqual([`https://${apex}`, `https://${apex}`])
    await change(apex, { primary: false })
    expect(await urls()).toEqual([null, null])
  })
})

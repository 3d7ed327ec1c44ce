import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DnsServer } from '../testing/dns-server.ts'
import { TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

let dns: DnsServer
beforeAll(async () => {
  dns = await DnsServer.start()
})
afterAll(() => dns?.stop())

describe('the certificate status', () => {
  const names = { inside: 'db.corp.example', none: 'nothing.corp.example', mixed: 'both.corp.example' }
  let server: TestServer
  let seen: Record<keyof typeof names, { text: string; json: Record<string, unknown> }>
  beforeAll(async () => {
    dns.set(names.inside, { CNAME: ['pg-7.corp.example'] })
    dns.set('pg-7.corp.example', { A: ['10.20.30.40'], AAAA: ['fd00::40'] })
    dns.set(names.mixed, { A: ['192.168.7.7', '192.0.2.7'] })
    dns.set('edge.localhost', { A: ['10.0.0.1'] })
    server = await TestServer.start('sqlite', { SVCD_DNS_SERVERS: dns.address })
    const { token } = await server.account()
    const site = await deploySite(server, token, { 'index.html': 'hello' })
    const look = async (domain: string) => {
      await server.request(`/projects/${site}/domains`, { method: 'POST', token, body: { domain } })
      return await server.request(`/projects/${site}/domains/${domain}/certificate`, { token })
    }
    seen = { inside: await look(names.inside), none: await look(names.none), mixed: await look(names.mixed) }
  })
  afterAll(() => server?.remove())

  it('shows no private address, and no alias that leads to one', () => {
    for (const { text } of Object.values(seen)) expect(text).not.toMatch(/10\.|192\.168|fd00|pg-7/)
    expect(seen.mixed.json.dns).toMatchObject({ found: { cname: [], a: ['192.0.2.7'], aaaa: [] } })
  })

  it('says the same of a name in a private network as of one that does not exist', () => {
    const plain = (name: keyof typeof names) => seen[name].text.replaceAll(names[name], 'NAME')
    expect(plain('inside')).toBe(plain('none'))
  })
})

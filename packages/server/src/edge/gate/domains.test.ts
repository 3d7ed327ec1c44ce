import { describe, expect, it } from 'vitest'
import { archiveOf } from '../../testing/archives.ts'
import { makeOrg } from '../../testing/orgs.ts'
import { onEveryServer, type RequestOptions } from '../../testing/server.ts'
import { cookieOf, deploySite } from '../../testing/sites.ts'

onEveryServer(server => {
  const call = (token: string, method: string, path: string, body: unknown) =>
    server().request(path, { method, token, body })

  /** A site of an org at two domains, one of which shows a branch. */
  const siteAtDomains = async (access: unknown) => {
    const { token, id } = await server().account()
    const org = await makeOrg(server(), { [id]: 'owner' })
    const name = await deploySite(server(), token, { 'index.html': 'the secret page' }, org.name)
    await server().upload(token, name, archiveOf({ 'index.html': 'the secret branch' }), '?branch=beta')
    const domains = [`www.${name}.test`, `beta.${name}.test`]
    await call(token, 'POST', `/projects/${name}/domains`, { domain: domains[0] })
    await call(token, 'POST', `/projects/${name}/domains`, { domain: domains[1], branch: 'beta' })
    for (const host of domains) expect((await server().request('/', { host })).text).toContain('secret')
    await call(token, 'PUT', `/projects/${name}/access`, access)
    return { token, name, domains }
  }
  const at = (host: string, path: string, options: RequestOptions = {}) =>
    server().request(path, { host, ...options })

  describe('on custom domains', () => {
    it('the password is asked for and opens the one where it is entered', async () => {
      const { domains } = await siteAtDomains({ mode: 'password', password: 'hunter22' })
      const [own = '', branch = ''] = domains
      for (const host of domains) {
        const answer = await at(host, '/')
        expect([answer.status, answer.text.includes('secret')]).toEqual([401, false])
      }
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const options = { method: 'POST', headers: form, body: 'password=hunter22' }
      const headers = { cookie: cookieOf(await at(branch, '/_svc/unlock', options)) }
      expect((await at(branch, '/', { headers })).text).toBe('the secret branch')
      expect((await at(own, '/', { headers })).status).toBe(401)
    })

    it('members come in with a code for that domain', async () => {
      const { token, name, domains } = await siteAtDomains({ mode: 'org' })
      for (const host of domains) {
        const away = await at(host, '/a')
        expect(away.status).toBe(302)
        expect(new URL(String(away.headers.location)).searchParams.get('host')).toBe(host)
        const { json } = await call(token, 'POST', `/projects/${name}/access/code`, { host, to: '/' })
        const link = new URL(json.url)
        expect(link.hostname).toBe(host)
        const entered = await at(host, link.pathname + link.search)
        const page = await at(host, '/', { headers: { cookie: cookieOf(entered) } })
        expect(page.text).toContain('secret')
      }
    })
  })
})

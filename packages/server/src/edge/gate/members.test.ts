import { describe, expect, it } from 'vitest'
import { deleteMember } from '../../store/orgs/orgs.ts'
import { makeOrg } from '../../testing/orgs.ts'
import { type HttpAnswer, onEveryServer } from '../../testing/server.ts'
import { cookieOf, deploySite } from '../../testing/sites.ts'

onEveryServer(server => {
  const orgSite = async () => {
    const [owner, member] = [await server().account(), await server().account()]
    const org = await makeOrg(server(), { [owner.id]: 'owner', [member.id]: 'member' })
    const name = await deploySite(server(), owner.token, { 'index.html': 'the secret page' }, org.name)
    const access = { method: 'PUT', token: owner.token, body: { mode: 'org' } }
    await server().request(`/projects/${name}/access`, access)
    return { owner, member, org, name }
  }
  const link = async (token: string, name: string, host = `${name}.localhost`, to = '/') => {
    const body = { host, to }
    const answer = await server().request(`/projects/${name}/access/code`, { method: 'POST', token, body })
    const url = new URL(answer.json.url)
    return url.pathname + url.search
  }
  const enter = async (token: string, name: string) => {
    const answer = await server().site(name, await link(token, name))
    expect(answer.status).toBe(303)
    return { cookie: cookieOf(answer) }
  }
  const expectSentAway = (answer: HttpAnswer) => {
    expect(answer.status).toBe(302)
    expect(answer.headers.location).toMatch(/^http:\/\/app\.localhost:\d+\/access\?project=/)
    expect(answer.headers['cache-control']).toBe('private, no-store')
    expect(answer.text).toBe('')
  }
  const removeFrom = (orgId: string, accountId: string) =>
    server().running.platform.store.transact(tx => deleteMember(tx, orgId, accountId))

  describe('a site for members', () => {
    it('sends visitors to the dashboard, with what it needs to send them back', async () => {
      const { name } = await orgSite()
      for (const path of ['/a/b?c=d', '/', '/nowhere']) {
        const answer = await server().site(`beta--${name}`, path, { headers: { accept: 'text/html' } })
        expectSentAway(answer)
        const query = new URL(String(answer.headers.location)).searchParams
        expect(Object.fromEntries(query)).toEqual({
          project: name,
          host: `beta--${name}.localhost`,
          to: path,
        })
      }
    })

    it('tells a program, and whoever wants to change something, that it is for members', async () => {
      const { name } = await orgSite()
      const json = await server().site(name, '/', { headers: { accept: 'application/json' } })
      expect([json.status, json.json.error.code]).toEqual([401, 'unauthorized'])
      expect((await server().site(name, '/', { method: 'POST' })).status).toBe(401)
      expectSentAway(await server().site(name, '/', { method: 'HEAD' }))
      expect((await server().site(name, '/_svc/unlock', { method: 'POST' })).status).toBe(401)
    })

    it('lets a member in who comes with a code', async () => {
      const { member, name } = await orgSite()
      const entered = await server().site(name, await link(member.token, name, undefined, '/x?y'))
      expect([entered.status, entered.headers.location]).toEqual([303, '/x?y'])
      expect(entered.headers['referrer-policy']).toBe('no-referrer')
      expect(entered.headers['set-cookie']).toEqual([
        expect.stringMatching(/^svc-visit=.*; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/),
      ])
      const headers = { cookie: cookieOf(entered) }
      const page = await server().site(name, '/', { headers })
      expect([page.status, page.text]).toEqual([200, 'the secret page'])
      expect(page.headers['cache-control']).toBe('private, no-store')
      expectSentAway(await server().site(`beta--${name}`, '/', { headers }))
    })

    it('has gone when its members are: within a minute, and for the cookie for good', async () => {
      const { owner, member, org, name } = await orgSite()
      const headers = await enter(member.token, name)
      const others = await enter(owner.token, name)
      const see = async (of: typeof headers) => (await server().site(name, '/', { headers: of })).status
      expect([await see(headers), await see(others)]).toEqual([200, 200])
      await removeFrom(org.id, member.id)
      server().clock.advance(60_000)
      expect([await see(headers), await see(others)]).toEqual([302, 200])
      server().clock.advance(13 * 3600_000)
      expect(await see(others)).toBe(302)
    })

    it('voids cookies when the mode changes, and takes none of the other mode', async () => {
      const { owner, name } = await orgSite()
      const headers = await enter(owner.token, name)
      const set = (body: unknown) =>
        server().request(`/projects/${name}/access`, { method: 'PUT', token: owner.token, body })
      await set({ mode: 'password', password: 'hunter22' })
      expect((await server().site(name, '/', { headers })).status).toBe(401)
      await set({ mode: 'org' })
      expectSentAway(await server().site(name, '/', { headers }))
    })
  })

  describe('a code', () => {
    it('works once, however many come with it', async () => {
      const { member, name } = await orgSite()
      const address = await link(member.token, name)
      const answers = await Promise.all(Array.from({ length: 8 }, () => server().site(name, address)))
      expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(403)])
      const again = await server().site(name, address)
      expect([again.status, again.headers['set-cookie']]).toEqual([403, undefined])
    })

    it('works for a minute', async () => {
      const { member, name } = await orgSite()
      const address = await link(member.token, name)
      server().clock.advance(60_000)
      expect((await server().site(name, address)).status).toBe(403)
    })

    it('works on its host alone, and is spent where it is tried elsewhere', async () => {
      const [one, two] = [await orgSite(), await orgSite()]
      for (const wrong of [two.name, `beta--${one.name}`]) {
        const address = await link(one.member.token, one.name)
        expect((await server().site(wrong, address)).status).toBe(403)
        expect((await server().site(one.name, address)).status).toBe(403)
      }
    })

    it('is worth nothing once its bearer has left the org', async () => {
      const { member, org, name } = await orgSite()
      const address = await link(member.token, name)
      await removeFrom(org.id, member.id)
      expect((await server().site(name, address)).status).toBe(403)
    })

    it('is not used up by whoever only looks', async () => {
      const { member, name } = await orgSite()
      const address = await link(member.token, name)
      expectSentAway(await server().site(name, address, { method: 'HEAD' }))
      expect((await server().site(name, address)).status).toBe(303)
    })

    it.each(['', 'x', 'A'.repeat(43), 'A'.repeat(5000)])('cannot be guessed as %j', async code => {
      const { name } = await orgSite()
      expect((await server().site(name, `/_svc/access?code=${code}&to=/`)).status).toBe(403)
    })

    it.each(['//evil.test', '/\\evil.test', 'https://evil.test'])('never leads to %s', async to => {
      const { member, name } = await orgSite()
      const address = new URL(await link(member.token, name), 'http://x')
      address.searchParams.set('to', to)
      const answer = await server().site(name, address.pathname + address.search)
      expect([answer.status, answer.headers.location]).toEqual([303, '/'])
    })

    it('brings who is in already to the page, unspent', async () => {
      const { member, name } = await orgSite()
      const headers = await enter(member.token, name)
      const address = await link(member.token, name, undefined, '/x')
      const answer = await server().site(name, address, { headers })
      expect([answer.status, answer.headers.location]).toEqual([303, '/x'])
      expect((await server().site(name, address)).status).toBe(303)
    })
  })
})

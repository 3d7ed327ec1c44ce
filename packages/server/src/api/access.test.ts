import { describe, expect, it } from 'vitest'
import { makeOrg } from '../testing/orgs.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite, setPassword } from '../testing/sites.ts'

onEveryServer(server => {
  const setAccess = (token: string, name: string, body: unknown) =>
    server().request(`/projects/${name}/access`, { method: 'PUT', token, body })
  const removePassword = (token: string, name: string) =>
    server().request(`/projects/${name}/password`, { method: 'DELETE', token })
  const row = (name: string) =>
    server()
      .running.platform.store.db.selectFrom('projects')
      .select(['access_mode', 'password_hash', 'access_generation'])
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
  const modeOf = async (token: string, name: string) =>
    (await server().request(`/projects/${name}`, { token })).json.access

  const personal = async () => {
    const { token } = await server().account()
    return { token, name: await deploySite(server(), token, { 'index.html': 'home' }) }
  }
  const ofOrg = async () => {
    const { token, id } = await server().account()
    const org = await makeOrg(server(), { [id]: 'owner' })
    return { token, org, name: await deploySite(server(), token, { 'index.html': 'home' }, org.name) }
  }

  describe('the access to a site', () => {
    it('is answered by every change of it, and shown with the project', async () => {
      const { token, name } = await ofOrg()
      expect(await modeOf(token, name)).toEqual({ mode: 'public' })
      for (const [answer, mode] of [
        [await setPassword(server(), token, name, 'hunter22'), 'password'],
        [await removePassword(token, name), 'public'],
        [await setAccess(token, name, { mode: 'password', password: 'hunter22' }), 'password'],
        [await setAccess(token, name, { mode: 'org' }), 'org'],
        [await setAccess(token, name, { mode: 'public' }), 'public'],
      ] as const) {
        expect([answer.status, answer.json]).toEqual([200, { ok: true, mode }])
      }
      expect(await modeOf(token, name)).toEqual({ mode: 'public' })
    })

    it('keeps its password while the mode stays, and forgets it with the mode', async () => {
      const { token, name } = await personal()
      await setPassword(server(), token, name, 'hunter22')
      const before = await row(name)
      expect(before.password_hash).toMatch(/^scrypt\$/)
      expect((await setAccess(token, name, { mode: 'password' })).json).toEqual({
        ok: true,
        mode: 'password',
      })
      expect(await row(name)).toEqual(before)
      await removePassword(token, name)
      expect(await row(name)).toMatchObject({ access_mode: 'public', password_hash: null })
      const { status, json } = await setAccess(token, name, { mode: 'password' })
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
      expect(json.error.message).toContain('password')
    })

    it('moves to a new generation with every change, and with nothing else', async () => {
      const { token, name } = await personal()
      const generations = [(await row(name)).access_generation]
      const note = async () => generations.push((await row(name)).access_generation)
      await setPassword(server(), token, name, 'hunter22')
      await note()
      await setPassword(server(), token, name, 'hunter22')
      await note()
      await setAccess(token, name, { mode: 'password' })
      await note()
      await removePassword(token, name)
      await note()
      await removePassword(token, name)
      await note()
      expect(generations).toEqual([0, 1, 2, 2, 3, 3])
    })

    it.each([
      [{ mode: 'password' }, 'password'],
      [{ mode: 'password', password: 'abc' }, 'password'],
      [{ mode: 'password', password: 'a'.repeat(129) }, 'password'],
      [{ mode: 'password', password: 12345 }, 'password'],
      [{ mode: 'org' }, 'mode'],
      [{ mode: 'secret' }, 'mode'],
      [{}, 'mode'],
    ])('of a personal project cannot be %j', async (body, field) => {
      const { token, name } = await personal()
      const { status, json } = await setAccess(token, name, body)
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
      expect(json.error.message).toContain(field)
      expect(await row(name)).toEqual({ access_mode: 'public', password_hash: null, access_generation: 0 })
    })

    it.each(['abcd', 'a'.repeat(128), '   🔑   '])('can be the password %j', async password => {
      const { token, name } = await personal()
      expect((await setPassword(server(), token, name, password)).status).toBe(200)
    })

    it('is in the audit log, and the password is not', async () => {
      const { token, name } = await ofOrg()
      await setPassword(server(), token, name, 'hunter22-is-secret')
      await setAccess(token, name, { mode: 'org' })
      const { text, json } = await server().request(`/projects/${name}/audit`, { token })
      expect(json.entries.slice(0, 2)).toMatchObject([
        { action: 'access.change', target: name, details: { from: 'password', to: 'org' } },
        { action: 'access.change', target: name, details: { from: 'public', to: 'password' } },
      ])
      expect(text).not.toContain('hunter22')
      expect(text).not.toContain('scrypt')
    })

    it('is for those to change who can act on the project', async () => {
      const { name } = await personal()
      const { token } = await server().account()
      expect((await setPassword(server(), token, name, 'hunter22')).status).toBe(404)
      expect((await removePassword(token, name)).status).toBe(404)
      expect((await setAccess('', name, { mode: 'public' })).status).toBe(401)
    })

    it('is one of those that were wished for at once, as a whole', async () => {
      const { token, name } = await ofOrg()
      const changes = [{ mode: 'org' }, { mode: 'password', password: 'hunter22' }, { mode: 'public' }]
      await Promise.all([...changes, ...changes].map(change => setAccess(token, name, change)))
      const { access_mode, password_hash } = await row(name)
      expect(password_hash === null).toBe(access_mode !== 'password')
    })
  })

  describe('a link into a site of an org', () => {
    const ask = (token: string, name: string, body: unknown) =>
      server().request(`/projects/${name}/access/code`, { method: 'POST', token, body })

    it('leads to the host that was asked for, back to the page that was wanted', async () => {
      const { token, name } = await ofOrg()
      await setAccess(token, name, { mode: 'org' })
      const { status, json } = await ask(token, name, { host: `main--${name}.localhost`, to: '/a?b=c' })
      expect(status).toBe(200)
      const url = new URL(json.url)
      expect(url.origin).toBe(`http://main--${name}.localhost:${server().running.port}`)
      expect(url.pathname).toBe('/_svc/access')
      expect(url.searchParams.get('to')).toBe('/a?b=c')
      expect(url.searchParams.get('code')).toMatch(/^[\w-]{43}$/)
    })

    it('leads to a domain of the project', async () => {
      const { token, name } = await ofOrg()
      await setAccess(token, name, { mode: 'org' })
      const host = `${name}.example.com`
      expect((await ask(token, name, { host })).status).toBe(400)
      await server().request(`/projects/${name}/domains`, { method: 'POST', token, body: { domain: host } })
      expect(new URL((await ask(token, name, { host })).json.url).hostname).toBe(host)
    })

    it('carries no code where the site asks for none', async () => {
      const { token, name } = await personal()
      const { json } = await ask(token, name, { host: `${name}.localhost`, to: '/a' })
      expect(json.url).toBe(`http://${name}.localhost:${server().running.port}/a`)
    })

    it.each([
      'evil.test',
      'app.localhost',
      'localhost',
      'other-site.localhost',
      '',
      'NAME.localhost.evil.test',
      'NAME.localhost:80',
      'NAME.localhost@evil.test',
      'evil.test/NAME.localhost',
      'evil.test#.NAME.localhost',
      'x.NAME.localhost',
    ])('never leads to %j', async pattern => {
      const { token, name } = await ofOrg()
      await setAccess(token, name, { mode: 'org' })
      const { status, json } = await ask(token, name, { host: pattern.replace('NAME', name) })
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
    })

    it('is for members alone', async () => {
      const { token, name } = await ofOrg()
      await setAccess(token, name, { mode: 'org' })
      const other = await server().account()
      expect((await ask(other.token, name, { host: `${name}.localhost` })).status).toBe(404)
    })
  })
})

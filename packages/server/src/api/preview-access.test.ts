import { describe, expect, it } from 'vitest'
import { archiveOf } from '../testing/archives.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

const html = { accept: 'text/html' }

onEveryServer(server => {
  /** A site of an org with production, a branch `next` and the domain of that branch. */
  async function newSite() {
    const team = await makeTeam(server())
    const { member } = team
    const name = freshName()
    await send(server(), 'POST /projects', member, { name, org: team.org })
    const upload = async (text: string, query = ''): Promise<string> =>
      (await server().upload(member.token, name, archiveOf({ 'index.html': text }), query)).json.deployment_id
    const live = await upload('production')
    await upload('next', '?branch=next')
    const path = `/projects/${name}` as const
    const domain = `${freshName()}.example.com`
    await send(server(), `POST ${path}/domains`, member, { domain, branch: 'next' })
    const protect = (body: unknown, who = member) => send(server(), `PUT ${path}/access/previews`, who, body)
    const statuses = async () =>
      [
        await server().site(name),
        await server().site(`next--${name}`),
        await server().site(`${live.replace('_', '-')}--${name}`),
        await server().request('/', { host: domain }),
      ].map(({ status }) => status)
    const unlock = (label: string, password: string) =>
      server().site(label, '/_svc/unlock', {
        method: 'POST',
        body: new URLSearchParams({ password }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...html },
      })
    return { ...team, name, path, domain, protect, statuses, unlock }
  }

  describe('previews with a password of their own', () => {
    it('ask for it on every host but production, and are private to caches', async () => {
      const { name, protect, statuses, unlock, path, member } = await newSite()
      expect(await statuses()).toEqual([200, 200, 200, 200])
      expect((await protect({ mode: 'password', password: 'sesame' })).json).toEqual({
        ok: true,
        mode: 'password',
      })
      expect(await statuses()).toEqual([200, 401, 401, 401])
      const detail = (await send(server(), `GET ${path}`, member)).json
      expect([detail.access, detail.preview_access]).toEqual([{ mode: 'public' }, { mode: 'password' }])
      expect((await unlock(`next--${name}`, 'wrong')).status).toBe(401)
      const entered = await unlock(`next--${name}`, 'sesame')
      expect(entered.status).toBe(303)
      const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
      const inside = await server().site(`next--${name}`, '/', { headers: { cookie } })
      expect([inside.status, inside.text]).toEqual([200, 'next'])
      expect(inside.headers['cache-control']).toBe('private, no-store')
      expect((await server().site(name)).headers['cache-control']).not.toContain('private')
      await protect({ mode: 'password', password: 'another' })
      expect((await server().site(`next--${name}`, '/', { headers: { cookie } })).status).toBe(401)
      expect((await protect({ mode: 'site' })).json).toEqual({ ok: true, mode: 'site' })
      expect(await statuses()).toEqual([200, 200, 200, 200])
    })

    it('do not take the password of the site, nor the site theirs', async () => {
      const { name, path, member, protect, statuses, unlock } = await newSite()
      await send(server(), `PUT ${path}/password`, member, { password: 'of the site' })
      expect(await statuses()).toEqual([401, 401, 401, 401])
      await protect({ mode: 'password', password: 'of previews' })
      expect((await unlock(`next--${name}`, 'of the site')).status).toBe(401)
      expect((await unlock(name, 'of previews')).status).toBe(401)
      expect((await unlock(`next--${name}`, 'of previews')).status).toBe(303)
      expect((await unlock(name, 'of the site')).status).toBe(303)
    })

    it('need a password once, and one of a fitting length', async () => {
      const { protect, outsider } = await newSite()
      expect(refusal(await protect({ mode: 'password' }))).toBe('400 invalid_request')
      expect(refusal(await protect({ mode: 'password', password: 'abc' }))).toBe('400 invalid_request')
      expect(refusal(await protect({ mode: 'public' }))).toBe('400 invalid_request')
      await protect({ mode: 'password', password: 'sesame' })
      expect((await protect({ mode: 'password' })).status).toBe(200)
      expect(refusal(await protect({ mode: 'site' }, outsider))).toBe('404 not_found')
    })
  })

  describe('previews for members', () => {
    it('let members in through the dashboard, and nobody else', async () => {
      const { name, path, member, outsider, domain, protect } = await newSite()
      await protect({ mode: 'org' })
      const visit = await server().site(`next--${name}`, '/', { headers: html })
      expect(visit.status).toBe(302)
      expect(visit.headers.location).toContain('/access?')
      for (const host of [`next--${name}.localhost`, domain]) {
        const { url } = (await send(server(), `POST ${path}/access/code`, member, { host })).json
        expect(url).toContain('/_svc/access?code=')
        const target = new URL(url)
        const entered = await server().request(target.pathname + target.search, { host: target.host })
        const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
        expect((await server().request('/', { host, headers: { cookie } })).text).toBe('next')
      }
      const production = { host: `${name}.localhost` }
      const { url } = (await send(server(), `POST ${path}/access/code`, member, production)).json
      expect(url).not.toContain('code=')
      const refused = await send(server(), `POST ${path}/access/code`, outsider, production)
      expect(refusal(refused)).toBe('404 not_found')
    })

    it('need a project of an org, which cannot become personal then', async () => {
      const { path, owner, protect } = await newSite()
      await protect({ mode: 'org' })
      const body = { org: null }
      expect(refusal(await send(server(), `POST ${path}/transfer`, owner, body))).toBe(
        '409 access_mode_conflict',
      )
      await protect({ mode: 'site' })
      expect((await send(server(), `POST ${path}/transfer`, owner, body)).status).toBe(200)
      expect(refusal(await protect({ mode: 'org' }, owner))).toBe('400 invalid_request')
    })
  })
})

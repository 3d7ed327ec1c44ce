import { dayMs } from '@svc/contract/durations'
import { limits } from '@svc/contract/limits'
import { describe, expect, it } from 'vitest'
import { procfileApp } from '../testing/apps.ts'
import { archiveOf } from '../testing/archives.ts'
import { eventually } from '../testing/eventually.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { cookieOf } from '../testing/sites.ts'
import { freshName, makeTeam } from '../testing/team.ts'

onEveryServer(server => {
  /** A public site of an org with a branch `next` and a branch `other`, whose previews ask for a password. */
  async function newSite() {
    const team = await makeTeam(server())
    const { member } = team
    const name = freshName()
    const path = `/projects/${name}` as const
    await send(server(), 'POST /projects', member, { name, org: team.org })
    const upload = async (text: string, query = ''): Promise<string> =>
      (await server().upload(member.token, name, archiveOf({ 'index.html': text }), query)).json.deployment_id
    const live = await upload('production')
    await upload('next', '?branch=next')
    await upload('other', '?branch=other')
    const protect = (body: unknown) => send(server(), `PUT ${path}/access/previews`, member, body)
    await protect({ mode: 'password', password: 'sesame' })
    const share = (body: unknown, who = member) => send(server(), `POST ${path}/preview-links`, who, body)
    const revoke = (id: string, who = member) => send(server(), `DELETE ${path}/preview-links/${id}`, who)
    const list = async () => (await send(server(), `GET ${path}/preview-links`, member)).json.links
    return { ...team, name, path, live, upload, protect, share, revoke, list }
  }

  const visit = (label: string, cookie = '', path = '/') =>
    server().site(label, path, { headers: { accept: 'text/html', cookie } })

  /** Opens the link as a browser does. */
  function open(url: string) {
    const { host, pathname, search } = new URL(url)
    return server().request(pathname + search, { host: host.replace(/:\d+$/, '') })
  }

  describe('a share link', () => {
    it('shows the preview of a branch, at its clean URL, and nothing else', async () => {
      const { name, live, upload, share } = await newSite()
      const { status, json } = await share({ branch: 'next' })
      expect(status).toBe(201)
      expect(json).toMatchObject({ branch: 'next', deployment_id: null })
      expect(json.url).toMatch(/^http:\/\/next--.*\/_svc\/share\?key=[\w-]{43}$/)
      const entered = await open(json.url)
      expect([entered.status, entered.headers.location]).toEqual([303, '/'])
      expect(entered.headers['referrer-policy']).toBe('no-referrer')
      expect(entered.headers['cache-control']).toContain('no-store')
      const cookie = cookieOf(entered)
      expect((await visit(`next--${name}`, cookie)).text).toBe('next')
      await upload('newer', '?branch=next')
      expect((await visit(`next--${name}`, cookie)).text).toBe('newer')
      for (const label of [`other--${name}`, `${live.replace('_', '-')}--${name}`])
        expect((await visit(label, cookie)).status).toBe(401)
      const elsewhere = json.url.replace('next--', 'other--')
      expect((await open(elsewhere)).status).toBe(403)
      const deep = await open(`${json.url}&to=/a%3Fb`)
      expect(deep.headers.location).toBe('/a?b')
      expect((await open(`${json.url}&to=//evil.example`)).headers.location).toBe('/')
    })

    it('shows one deployment to visitors without an account where previews are for members', async () => {
      const { name, live, protect, share } = await newSite()
      await protect({ mode: 'org' })
      const { json } = await share({ deployment_id: live })
      expect(json).toMatchObject({ branch: null, deployment_id: live })
      const cookie = cookieOf(await open(json.url))
      expect((await visit(`${live.replace('_', '-')}--${name}`, cookie)).text).toBe('production')
      expect((await visit(`next--${name}`, cookie)).status).toBe(302)
    })

    it('and the cookies of its visitors stop working when it is revoked', async () => {
      const { name, share, revoke, list, outsider } = await newSite()
      const { json } = await share({ branch: 'next' })
      const kept = (await share({ branch: 'next' })).json
      const [cookie, other] = [cookieOf(await open(json.url)), cookieOf(await open(kept.url))]
      expect((await visit(`next--${name}`, cookie)).status).toBe(200)
      expect(refusal(await revoke(json.id, outsider))).toBe('404 not_found')
      expect((await revoke(json.id)).status).toBe(200)
      expect((await visit(`next--${name}`, cookie)).status).toBe(401)
      expect((await open(json.url)).status).toBe(403)
      expect((await visit(`next--${name}`, other)).status).toBe(200)
      expect(refusal(await revoke(json.id))).toBe('404 not_found')
      expect((await list()).map(({ id }: { id: string }) => id)).toEqual([kept.id])
    })

    it('and the cookies of its visitors end with their time', async () => {
      const { name, share, list } = await newSite()
      const soon = new Date(server().clock.now() + dayMs).toISOString()
      const { json } = await share({ branch: 'next', expires_at: soon })
      expect(json.expires_at).toBe(soon)
      const cookie = cookieOf(await open(json.url))
      expect((await visit(`next--${name}`, cookie)).status).toBe(200)
      server().clock.advance(dayMs)
      expect((await visit(`next--${name}`, cookie)).status).toBe(401)
      expect((await open(json.url)).status).toBe(403)
      expect(await list()).toEqual([])
    })

    it('outlives a new password, and leads to the preview when the protection is gone', async () => {
      const { name, protect, share } = await newSite()
      const { json } = await share({ branch: 'next' })
      const cookie = cookieOf(await open(json.url))
      await protect({ mode: 'password', password: 'another' })
      expect((await visit(`next--${name}`, cookie)).status).toBe(200)
      await protect({ mode: 'site' })
      const entered = await open(json.url)
      expect([entered.status, entered.headers.location]).toEqual([303, '/'])
    })

    it('is not made of a forged cookie or a guessed secret', async () => {
      const { name, share } = await newSite()
      const { json } = await share({ branch: 'next' })
      const cookie = cookieOf(await open(json.url))
      const [before, id = ''] = cookie.split(/(lnk_[a-z0-9]{16})/)
      expect(id).toBe(json.id)
      for (const forged of [
        cookie.slice(0, -1),
        `${before}acc_aaaaaaaaaaaaaaaa.${'a'.repeat(43)}`,
        cookie.replace('=0.', '=1.').replace(/\.(\d+)\./, '.9999999999.'),
      ])
        expect((await visit(`next--${name}`, forged)).status).toBe(401)
      const bare = json.url.split('?')[0]
      for (const url of [bare, `${bare}?key=`, `${bare}?key=${'a'.repeat(43)}`])
        expect((await open(url)).status).toBe(403)
    })

    it('never reaches the app behind it', async () => {
      const { member, name, path, share } = await newSite()
      const app = archiveOf(procfileApp())
      await server().upload(member.token, name, app, '?branch=app')
      const { json } = await share({ branch: 'app' })
      const entered = await open(json.url)
      expect(entered.status).toBe(303)
      await visit(`app--${name}`, cookieOf(entered), '/seen')
      const requests = async (): Promise<{ path: string }[]> =>
        (await send(server(), `GET ${path}/requests`, member)).json.requests
      await eventually(async () => (await requests()).some(request => request.path.startsWith('/seen')))
      expect(JSON.stringify(await requests())).not.toContain(json.url.split('key=')[1])
    })
  })

  describe('share links', () => {
    it('need a preview that exists and is protected, and a time', async () => {
      const { protect, share, outsider } = await newSite()
      const at = (days: number) => new Date(server().clock.now() + days * dayMs).toISOString()
      for (const body of [{}, { branch: 'next', deployment_id: 'dep_aaaaaaaaaaaaaaaa' }])
        expect(refusal(await share(body))).toBe('400 invalid_request')
      for (const days of [-1, 91])
        expect(refusal(await share({ branch: 'next', expires_at: at(days) }))).toBe('400 invalid_request')
      for (const body of [{ branch: 'none' }, { deployment_id: 'dep_aaaaaaaaaaaaaaaa' }])
        expect(refusal(await share(body))).toBe('404 not_found')
      expect(refusal(await share({ branch: 'next' }, outsider))).toBe('404 not_found')
      await protect({ mode: 'site' })
      const { json } = await share({ branch: 'next' })
      expect(json.error.message).toContain('are public, so this URL is enough: http://next--')
    })

    it('are bounded in number', async () => {
      const { share } = await newSite()
      for (let i = 0; i < limits.previewLinks; i++) expect((await share({ branch: 'next' })).status).toBe(201)
      const full = await share({ branch: 'next' })
      expect(full.json.error.message).toContain('svc previews revoke')
    })
  })
})

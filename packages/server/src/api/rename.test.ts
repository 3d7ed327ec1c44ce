import { describe, expect, it } from 'vitest'
import { requireFreeName } from '../core/base/names.ts'
import { archiveOf } from '../testing/archives.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'
import { freshName, makeTeam } from '../testing/team.ts'

const day = 86_400_000

onEveryServer(server => {
  async function newSite() {
    const owner = await server().account()
    const name = await deploySite(server(), owner.token, { 'index.html': 'the site', 'a.html': 'page a' })
    const rename = (from: string, to: unknown, who = owner) =>
      send(server(), `POST /projects/${from}/rename`, who, { name: to })
    return { owner, name, rename }
  }

  describe('a renamed project', () => {
    it('is at its new URL, and the former URL redirects there with path and query', async () => {
      const { owner, name, rename } = await newSite()
      const { json: before } = await send(server(), `GET /projects/${name}`, owner)
      expect((await server().site(name)).text).toBe('the site')
      const to = freshName()
      const { json } = await rename(name, to)
      expect(json).toMatchObject({ id: before.id, name: to, url: before.url.replace(name, to) })
      expect((await server().site(to, '/a')).text).toBe('page a')
      const moved = await server().site(name, '/a?x=1')
      expect([moved.status, moved.headers.location]).toEqual([308, `http://${to}.localhost/a?x=1`])
      const permanent = before.active_deployment_id.replace('_', '-')
      const preview = await server().site(`${permanent}--${name}`, '/a')
      expect([preview.status, preview.headers.location]).toEqual([
        308,
        `http://${permanent}--${to}.localhost/a`,
      ])
      expect((await server().site(`${permanent}--${to}`, '/a')).text).toBe('page a')
    })

    it('keeps its domains and its branches, and goes live with the next upload', async () => {
      const { owner, name, rename } = await newSite()
      const domain = `www.${freshName()}.example`
      await send(server(), `POST /projects/${name}/domains`, owner, { domain })
      const visit = () => server().request('/', { headers: { host: domain } })
      expect((await visit()).text).toBe('the site')
      const branch = 'feature-with-a-name-of-26'
      const files = archiveOf({ 'index.html': 'preview' })
      await server().upload(owner.token, name, files, `?branch=${branch}`)
      const to = `${freshName()}-${'x'.repeat(20)}`.slice(0, 40)
      await rename(name, to)
      expect((await visit()).text).toBe('the site')
      const { json } = await send(server(), `GET /projects/${to}/branches`, owner)
      const { url } = json.branches.find((row: { branch: string }) => row.branch === branch)
      expect((await server().request('/', { headers: { host: new URL(url).host } })).text).toBe('preview')
      await server().upload(owner.token, to, archiveOf({ 'index.html': 'new' }))
      expect((await server().site(to)).text).toBe('new')
      expect((await visit()).text).toBe('new')
    })

    it('is named in the error that its former name gets in the API, for those who may act on it', async () => {
      const { owner, name, rename } = await newSite()
      const to = freshName()
      await rename(name, to)
      const answer = await send(server(), `GET /projects/${name}`, owner)
      expect(refusal(answer)).toBe('404 not_found')
      expect(answer.json.error.message).toContain(`is now called '${to}'`)
      expect(answer.json.error.message).toContain('svc.json')
      const stranger = await server().account()
      const hidden = await send(server(), `GET /projects/${name}`, stranger)
      expect(refusal(hidden)).toBe('404 not_found')
      expect(hidden.json.error.message).not.toContain(to)
    })

    it('keeps its former name for itself: others cannot take it, and it can go back', async () => {
      const { name, rename } = await newSite()
      const to = freshName()
      await rename(name, to)
      const other = await newSite()
      expect(refusal(await send(server(), 'POST /projects', other.owner, { name }))).toBe('409 name_taken')
      expect(refusal(await other.rename(other.name, name))).toBe('409 name_taken')
      expect((await rename(to, name)).json.name).toBe(name)
      expect((await server().site(name)).text).toBe('the site')
      expect((await server().site(to)).headers.location).toBe(`http://${name}.localhost/`)
    })

    it('frees its former name when it is deleted', async () => {
      const { owner, name, rename } = await newSite()
      const to = freshName()
      await rename(name, to)
      expect((await server().site(name)).status).toBe(308)
      await send(server(), `DELETE /projects/${to}`, owner)
      expect((await server().site(name)).status).toBe(404)
      expect((await send(server(), 'POST /projects', owner, { name })).status).toBe(201)
    })
  })

  it.each([
    ['api', '400 reserved_name'],
    ['tmp-mine', '400 reserved_name'],
    ['No Name', '400 invalid_name'],
    ['a--b', '400 invalid_name'],
    [7, '400 invalid_request'],
  ])('a project cannot be renamed to %s', async (to, refused) => {
    const { name, rename } = await newSite()
    expect(refusal(await rename(name, to))).toBe(refused)
  })

  it('of two renames to one name at the same time, exactly one succeeds', async () => {
    const [one, two] = [await newSite(), await newSite()]
    const to = freshName()
    const answers = await Promise.all([one.rename(one.name, to), two.rename(two.name, to)])
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 409])
  })

  it('a rename that ends while somebody else asks for the former name keeps it from them', async () => {
    const { name, rename } = await newSite()
    let results = 0
    const duringRename = server().running.platform.store.db.withPlugin({
      transformQuery: ({ node }) => node,
      // The rename is committed between the first query of the check and the next one.
      transformResult: async ({ result }) => {
        if (results++ === 0) await rename(name, freshName())
        return result
      },
    })
    const asking = requireFreeName(duringRename, name, server().clock.now())
    await expect(asking).rejects.toThrow(`The name '${name}' is taken`)
  })

  it('renaming a project of an org needs the role admin', async () => {
    const team = await makeTeam(server())
    const name = await deploySite(server(), team.owner.token, { 'index.html': 'x' }, team.org)
    const path = `POST /projects/${name}/rename` as const
    expect(refusal(await send(server(), path, team.member, { name: freshName() }))).toBe('403 forbidden')
    expect((await send(server(), path, team.admin, { name: freshName() })).status).toBe(200)
  })

  it('the former name ends after 30 days and is free again', async () => {
    const { name, rename, owner } = await newSite()
    await rename(name, freshName())
    expect((await server().site(name)).status).toBe(308)
    server().clock.advance(30 * day)
    expect((await server().site(name)).status).toBe(404)
    const fresh = await server().account()
    expect(owner.login).not.toBe(fresh.login)
    expect((await send(server(), 'POST /projects', fresh, { name })).status).toBe(201)
  })
})

// What the list of projects says about each: its stars, what is live, and what was deployed last.
import { expect, it } from 'vitest'
import type { Caller } from '../core/base/caller.ts'
import { visibleProjects } from '../core/projects/list.ts'
import { archiveOf } from '../testing/archives.ts'
import { type HttpAnswer, onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

onEveryServer(server => {
  async function newProject(token: string, org?: string): Promise<string> {
    const name = freshName()
    const body = { name, ...(org && { org }) }
    expect((await server().request('/projects', { method: 'POST', token, body })).status).toBe(201)
    return name
  }

  const listed = async (token: string, query = '') =>
    (await server().request(`/projects${query}`, { token })).json.projects

  it('the list of projects says what is live and what was deployed last, whatever became of it', async () => {
    const { token, login } = await server().account()
    const [empty, site] = [await newProject(token), await newProject(token)]
    const live = (await server().upload(token, site, archiveOf({ 'index.html': 'one' }))).json.deployment_id
    expect(await listed(token)).toMatchObject([
      {
        name: site,
        access: { mode: 'public' },
        live: { kind: 'static', url: server().running.urls.deployment(live, site) },
        last_deployment: { id: live, status: 'live', by: login, branch: null, error: null },
      },
      { name: empty, live: null, last_deployment: null, last_build: null, starred: false },
    ])

    server().clock.advance(1000)
    await server().upload(token, site, archiveOf({ 'index.html': 'two' }), '?branch=next')
    const [preview] = await listed(token)
    expect(preview.last_deployment).toMatchObject({ status: 'branch', branch: 'next' })
    expect(preview.live.url).toBe(server().running.urls.deployment(live, site))

    server().clock.advance(1000)
    await server().upload(token, site, Buffer.from('not an archive'))
    const [failed] = await listed(token)
    expect(failed.last_deployment).toMatchObject({ status: 'failed', error: expect.any(String) })
  })

  it('the list of projects is searched by words of the names, page by page', async () => {
    const { token } = await server().account()
    const [shop, web, other] = [`${freshName()}-shop-web`, `${freshName()}-shop-2`, freshName()]
    for (const name of [shop, web, other]) {
      await server().request('/projects', { method: 'POST', token, body: { name } })
      server().clock.advance(1000)
    }
    const names = async (q: string) =>
      (await listed(token, `?q=${encodeURIComponent(q)}`)).map(({ name }: { name: string }) => name)
    expect(await names('SHOP')).toEqual([web, shop])
    expect(await names('shop web')).toEqual([shop])
    expect(await names(' ')).toEqual([other, web, shop])
    for (const odd of ['%', '_', '\\', "'"]) expect(await names(odd)).toEqual([])
    const first = (await server().request('/projects?q=shop&limit=1', { token })).json
    expect(first.projects.map(({ name }: { name: string }) => name)).toEqual([web])
    const next = (await server().request(`/projects?q=shop&limit=1&cursor=${first.next_cursor}`, { token }))
      .json
    expect(next.projects.map(({ name }: { name: string }) => name)).toEqual([shop])
    expect(next.next_cursor).toBeNull()
  })

  it('the list of projects is ordered by activity or by name, starred ones first, page by page', async () => {
    const { token } = await server().account()
    const prefix = freshName()
    const names = ['b', 'a-2', 'c', 'a', 'd'].map(end => `${prefix}-${end}`)
    for (const name of names) {
      await server().request('/projects', { method: 'POST', token, body: { name } })
      server().clock.advance(1000)
    }
    await server().upload(token, names[1]!, archiveOf({ 'index.html': 'deployed last' }))
    await server().request(`/projects/${names[2]}/star`, { method: 'PUT', token })
    const inPages = async (sort: string, limit: number) => {
      const found: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: string = `?sort=${sort}&limit=${limit}${cursor && `&cursor=${cursor}`}`
        const page: HttpAnswer['json'] = (await server().request(`/projects${query}`, { token })).json
        found.push(...page.projects.map(({ name }: { name: string }) => name.slice(prefix.length + 1)))
        cursor = page.next_cursor
      }
      return found
    }
    for (const limit of [1, 2, 4, 100]) {
      expect(await inPages('activity', limit)).toEqual(['c', 'a-2', 'd', 'a', 'b'])
      expect(await inPages('name', limit)).toEqual(['c', 'a', 'a-2', 'b', 'd'])
      expect(await inPages('created', limit)).toEqual(['d', 'a', 'c', 'a-2', 'b'])
    }

    const cursorFor = async (sort: string) =>
      (await server().request(`/projects?sort=${sort}&limit=1`, { token })).json.next_cursor
    const wrong = [
      `sort=activity&cursor=${await cursorFor('name')}`,
      'sort=name&cursor=x',
      'sort=name&cursor=',
      'sort=size',
    ]
    for (const query of wrong)
      expect([query, (await server().request(`/projects?${query}`, { token })).status]).toEqual([query, 400])
  })

  it('a star is seen only by the account that set it, and goes with the project', async () => {
    const { org, owner, member: other, outsider } = await makeTeam(server())
    const name = await newProject(owner.token, org)
    const star = (method: string, token: string) =>
      server().request(`/projects/${name}/star`, { method, token })
    for (const _ of ['set', 'set again']) expect((await star('PUT', other.token)).json).toEqual({ ok: true })
    const stars = async (token: string) =>
      (await listed(token, `?org=${org}`)).map(({ starred }: { starred: boolean }) => starred)
    expect([await stars(owner.token), await stars(other.token)]).toEqual([[false], [true]])
    for (const _ of ['removed', 'removed again'])
      expect((await star('DELETE', other.token)).json).toEqual({ ok: true })
    expect(await stars(other.token)).toEqual([false])

    expect((await star('PUT', outsider.token)).status).toBe(404)
    await star('PUT', other.token)
    expect(
      (await server().request(`/projects/${name}`, { method: 'DELETE', token: owner.token })).status,
    ).toBe(200)
    const { db } = server().running.platform.store
    const left = await db
      .selectFrom('stars')
      .leftJoin('projects', 'projects.id', 'stars.project_id')
      .where('projects.id', 'is', null)
      .select('stars.project_id')
      .execute()
    expect(left).toEqual([])
  })
  it('a page is one question to the database, however many projects it shows', async () => {
    const { id, token } = await server().account()
    const names: string[] = []
    for (let i = 0; i < 5; i++) {
      names.unshift(await newProject(token))
      await server().upload(token, names[0]!, archiveOf({ 'index.html': `${i}` }))
      server().clock.advance(1)
    }
    const { platform } = server().running
    let asked = 0
    const db = platform.store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        asked++
        return result
      },
    })
    const counted = { ...platform, store: { ...platform.store, db } }
    const caller = { account: { id } } as Caller
    const page = await visibleProjects(counted, caller, undefined, { limit: 4 })
    expect([page.projects.map(({ name }) => name), asked]).toEqual([names.slice(0, 4), 1])
    expect(page.projects.every(({ live, last_deployment }) => live && last_deployment)).toBe(true)
    const rest = await listed(token, `?cursor=${page.next_cursor}`)
    expect(rest.map(({ name }: { name: string }) => name)).toEqual(names.slice(4))
  })
})

import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { makeToken } from '../core/identity/tokens.ts'
import { newId, randomText } from '../lib/ids.ts'
import { archiveOf } from '../testing/archives.ts'
import { holdNextTransaction } from '../testing/held-transactions.ts'
import { makeOrg } from '../testing/orgs.ts'
import { onEveryServer } from '../testing/server.ts'

onEveryServer(server => {
  const create = async (token: string, org?: string) => {
    const name = `mv-${randomText(12)}`
    const { status } = await server().request('/projects', { method: 'POST', token, body: { name, org } })
    expect(status).toBe(201)
    return name
  }
  const transfer = (token: string, name: string, org: unknown) =>
    server().request(`/projects/${name}/transfer`, { method: 'POST', token, body: { org } })
  const detail = async (token: string, name: string) =>
    (await server().request(`/projects/${name}`, { token })).json
  const names = async (token: string, query = '') =>
    (await server().request(`/projects${query}`, { token })).json.projects.map(
      (p: { name: string }) => p.name,
    )
  const table = () => server().running.platform.store.db

  it('a transfer moves a project into an org and back, with all its data', async () => {
    const [ada, bob] = [await server().account(), await server().account()]
    const org = await makeOrg(server(), { [ada.id]: 'admin', [bob.id]: 'member' })
    const name = await create(ada.token)
    await server().upload(ada.token, name, archiveOf({ 'index.html': 'stays live' }))
    const before = await detail(ada.token, name)

    const moved = await transfer(ada.token, name, org.name)
    expect(moved.status).toBe(200)
    const { id, url, active_deployment_id, expires_at, created_at } = before
    const project = { id, name, org: null, url, active_deployment_id, expires_at, created_at }
    expect(moved.json).toEqual({ ...project, org: org.name })
    expect(await detail(bob.token, name)).toEqual({ ...before, org: org.name })
    expect([await names(ada.token), await names(ada.token, `?org=${org.name}`)]).toEqual([[], [name]])
    expect((await server().site(name)).text).toBe('stays live')

    expect((await transfer(ada.token, name, null)).json).toEqual(project)
    expect((await server().request(`/projects/${name}`, { token: bob.token })).status).toBe(404)
    expect(await names(ada.token)).toEqual([name])
  })

  it('a transfer needs the role admin in the old org and membership in the new one', async () => {
    const [ada, bob] = [await server().account(), await server().account()]
    const from = await makeOrg(server(), { [ada.id]: 'owner', [bob.id]: 'member' })
    const to = await makeOrg(server(), { [ada.id]: 'member', [bob.id]: 'owner' })
    const foreign = await makeOrg(server(), {})
    const name = await create(bob.token, from.name)
    expect((await transfer(bob.token, name, to.name)).json.error.code).toBe('forbidden')
    expect((await transfer(bob.token, name, null)).json.error.code).toBe('forbidden')
    expect((await transfer(ada.token, name, foreign.name)).json.error.code).toBe('not_found')
    expect((await transfer(ada.token, name, to.name)).json.org).toBe(to.name)
    expect((await transfer(ada.token, name, null)).json.error.code).toBe('forbidden')
    const other = await server().account()
    expect((await transfer(other.token, name, null)).status).toBe(404)
  })

  it('a transfer to the present owner changes nothing', async () => {
    const [ada, bob] = [await server().account(), await server().account()]
    const org = await makeOrg(server(), { [ada.id]: 'owner', [bob.id]: 'member' })
    const [personal, shared] = [await create(ada.token), await create(ada.token, org.name)]
    expect((await transfer(ada.token, personal, null)).json).toMatchObject({ name: personal, org: null })
    expect((await transfer(bob.token, shared, org.name)).json).toMatchObject({ name: shared, org: org.name })
    const logged = await table().selectFrom('audit').select('action').where('actor', '=', bob.login).execute()
    expect(logged).toEqual([])
  })

  it.each([undefined, 5, {}])('the API refuses %j for an org', async org => {
    const { token } = await server().account()
    const name = await create(token)
    const { status, json } = await transfer(token, name, org)
    expect([status, json.error.code]).toEqual([400, 'invalid_request'])
  })

  it('a transfer to an account is refused while only members of the org may see the site', async () => {
    const { token, id } = await server().account()
    const [one, two] = [
      await makeOrg(server(), { [id]: 'admin' }),
      await makeOrg(server(), { [id]: 'admin' }),
    ]
    const name = await create(token, one.name)
    const row = table().updateTable('projects').where('name', '=', name)
    await row.set({ access_mode: 'org', access_generation: 7 }).execute()
    const { status, json } = await transfer(token, name, null)
    expect([status, json.error.code]).toEqual([409, 'access_mode_conflict'])
    expect((await transfer(token, name, two.name)).json.org).toBe(two.name)
    const { access_generation } = await table()
      .selectFrom('projects')
      .select('access_generation')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    expect(access_generation).toBe(8)
  })

  it('a transfer to an account is refused while members of the org become the only ones who see previews', async () => {
    const { token, id } = await server().account()
    const org = await makeOrg(server(), { [id]: 'admin' })
    const name = await create(token, org.name)
    const ending = holdNextTransaction(server().running.platform.store)
    const body = { mode: 'org' }
    const changing = server().request(`/projects/${name}/access/previews`, { method: 'PUT', token, body })
    await ending.reached
    const moving = transfer(token, name, null)
    await setTimeout(100)
    ending.release()
    expect((await changing).status).toBe(200)
    const { status, json } = await moving
    expect([status, json.error?.code]).toEqual([409, 'access_mode_conflict'])
  })

  it('a transfer needs room in the plan of the new owner', async () => {
    const { token, id } = await server().account()
    const org = await makeOrg(server(), { [id]: 'admin' })
    const now = server().clock.now()
    const rows = Array.from({ length: 50 }, () => ({
      id: newId('prj'),
      name: `full-${randomText(12)}`,
      account_id: null,
      org_id: org.id,
      active_deployment_id: null,
      expires_at: null,
      created_at: now,
      active_at: null,
      access_mode: 'public' as const,
      password_hash: null,
      access_generation: 0,
    }))
    await table().insertInto('projects').values(rows).execute()
    const name = await create(token)
    const { status, json } = await transfer(token, name, org.name)
    expect([status, json.error.code]).toEqual([402, 'quota_exceeded'])
    expect(await names(token)).toEqual([name])
  })

  it('of several transfers at the same time, one succeeds', async () => {
    const { token, id } = await server().account()
    const orgs = await Promise.all([1, 2, 3, 4].map(() => makeOrg(server(), { [id]: 'member' })))
    const name = await create(token)
    const answers = await Promise.all(orgs.map(org => transfer(token, name, org.name)))
    const won = answers.filter(answer => answer.status === 200)
    expect(won).toHaveLength(1)
    for (const lost of answers.filter(answer => answer.status !== 200))
      expect(['owner_changed', 'forbidden']).toContain(lost.json.error.code)
    expect((await detail(token, name)).org).toBe(won[0]!.json.org)
  })

  it('a transfer is written into the logs of both orgs', async () => {
    const { token, id, login } = await server().account()
    const [one, two] = [
      await makeOrg(server(), { [id]: 'admin' }),
      await makeOrg(server(), { [id]: 'admin' }),
    ]
    const name = await create(token, one.name)
    await transfer(token, name, two.name)
    for (const org of [one, two]) {
      const [entry] = await table()
        .selectFrom('audit')
        .selectAll()
        .where('org_id', '=', org.id)
        .where('action', '=', 'project.transfer')
        .execute()
      expect(entry).toMatchObject({ actor: login, target: name })
      expect(JSON.parse(entry!.details)).toEqual({ from: one.name, to: two.name })
    }
  })

  it('a deploy token cannot transfer a project of its org', async () => {
    const { token, id } = await server().account()
    const org = await makeOrg(server(), { [id]: 'owner' })
    const name = await create(token, org.name)
    const input = { kind: 'deploy', label: '', accountId: id, orgId: org.id } as const
    const deploy = await makeToken(table(), server().clock.now(), input)
    expect((await transfer(deploy.token, name, null)).status).toBe(401)
    expect((await server().request('/shares', { token: deploy.token })).status).toBe(401)
    expect(
      (await server().request(`/projects/${name}`, { method: 'DELETE', token: deploy.token })).status,
    ).toBe(401)
  })
})

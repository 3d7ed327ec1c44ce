import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { callerBehind } from '../core/identity/callers.ts'
import { projectFor } from '../core/orgs/rights.ts'
import { sweep } from '../core/platform/sweep.ts'
import { deleteProject } from '../core/projects/projects.ts'
import { removeDiscardedPacks } from '../core/projects/removal.ts'
import { randomText } from '../lib/ids.ts'
import { endProject } from '../store/projects/projects.ts'
import { archiveOf } from '../testing/archives.ts'
import { eventually } from '../testing/eventually.ts'
import { makeOrg } from '../testing/orgs.ts'
import { onEveryServer } from '../testing/server.ts'
import { beginUpload } from '../testing/slow-upload.ts'

onEveryServer(server => {
  const create = async (token: string, org?: string, name = `del-${randomText(12)}`) => {
    const { status } = await server().request('/projects', { method: 'POST', token, body: { name, org } })
    expect(status).toBe(201)
    return name
  }
  const remove = (token: string, name: string) =>
    server().request(`/projects/${name}`, { method: 'DELETE', token })
  const deployText = async (token: string, name: string, text: string, query = ''): Promise<string> =>
    (await server().upload(token, name, archiveOf({ 'index.html': text }), query)).json.deployment_id
  const packs = () => readdir(path.join(server().dataDir, 'packs'))
  const hasPacks = async (ids: string[]) => (await packs()).some(file => ids.some(id => file.includes(id)))

  it('a deletion removes everything of the project, and the name is free at once', async () => {
    const { token } = await server().account()
    const name = await create(token)
    const { db } = server().running.platform.store
    const old = [
      await deployText(token, name, 'one'),
      await deployText(token, name, 'two'),
      await deployText(token, name, 'preview', '?branch=next'),
    ]
    const { id } = (await server().request(`/projects/${name}`, { token })).json
    const target = { environment: 'both', branch: '', secret: 0 } as const
    const value = {
      key: 'SECRET',
      sealed: 'x',
      key_id: 'k',
      scope: 'both',
      updated_at: 1,
      ...target,
    } as const
    await db
      .insertInto('env_vars')
      .values({ project_id: id, ...value })
      .execute()
    const domain = `${name}.example.org`
    const attached = { branch: 'next', deployment_id: old[2]!, created_at: 1, is_primary: 0 }
    await db
      .insertInto('domains')
      .values({ domain, project_id: id, ...attached })
      .execute()
    const told: unknown[] = []
    const stop = server().running.platform.store.changes.subscribe(change => told.push(change))
    const hosts = [name, `next--${name}`, ...old.map(dep => `${dep.replace('_', '-')}--${name}`)]
    for (const host of hosts) expect((await server().site(host)).status).toBe(200)

    expect((await remove(token, name)).json).toEqual({ ok: true })
    stop()
    expect(told).toEqual(
      expect.arrayContaining([
        { topic: 'project', key: name },
        { topic: 'domain', key: domain },
      ]),
    )
    for (const host of hosts) expect((await server().site(host)).status).toBe(404)
    expect((await server().request(`/projects/${name}`, { token })).status).toBe(404)
    expect((await remove(token, name)).status).toBe(404)
    for (const table of ['deployments', 'domains', 'env_vars', 'audit'] as const)
      expect(await db.selectFrom(table).selectAll().where('project_id', '=', id).execute()).toEqual([])

    const other = await server().account()
    await create(other.token, undefined, name)
    for (const host of hosts.slice(1)) expect((await server().site(host)).status).toBe(404)
    const fresh = await deployText(other.token, name, 'another owner')
    for (const host of hosts.slice(1)) expect((await server().site(host)).status).toBe(404)
    await eventually(async () => !(await hasPacks(old)))
    expect((await server().site(name)).text).toBe('another owner')
    expect(await hasPacks([fresh])).toBe(true)
  })

  it('the sweep finishes a deletion that was interrupted, however many rows there are', async () => {
    const { token } = await server().account()
    const name = await create(token)
    const live = await deployText(token, name, 'live')
    const { id } = (await server().request(`/projects/${name}`, { token })).json
    const { store } = server().running.platform
    const [row] = await store.db.selectFrom('deployments').selectAll().where('id', '=', live).execute()
    const old = Array.from({ length: 1_100 }, (_, at) => `dep_${id.slice(4)}${at}`)
    const names = Array.from({ length: 2_100 }, (_, at) => `/page-${at}`)
    const page = { project_id: id, kind: 'path', since: 0, requests: 1, bytes: 0 } as const
    for (let at = 0; at < names.length; at += 100) {
      const deployments = old
        .slice(at, at + 100)
        .map(dep => ({ ...row!, id: dep, status: 'superseded' as const }))
      if (deployments.length > 0) await store.db.insertInto('deployments').values(deployments).execute()
      const counted = names.slice(at, at + 100).map(path => ({ ...page, name: path }))
      await store.db.insertInto('stats_names').values(counted).execute()
    }
    const project = await store.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
    await store.transact(async (tx, changed) => {
      expect(await endProject(tx, project!)).toBe(true)
      await changed({ topic: 'project', key: name })
    })
    for (const host of [name, `${live.replace('_', '-')}--${name}`])
      expect((await server().site(host)).status).toBe(404)
    expect((await server().request(`/projects/${name}`, { token })).status).toBe(404)
    expect((await server().request('/projects', { token })).json.projects).toEqual([])
    expect((await server().request('/shares', { token })).json.shares).toEqual([])
    await sweep(server().running.platform)
    for (const table of ['deployments', 'stats_names'] as const)
      expect(await store.db.selectFrom(table).selectAll().where('project_id', '=', id).execute()).toEqual([])
    await create(token, undefined, name)
    await eventually(async () => !(await hasPacks([live])))
  })

  it('of two deletions at the same time, one succeeds', async () => {
    const { token } = await server().account()
    const name = await create(token)
    const answers = await Promise.all([remove(token, name), remove(token, name)])
    expect(answers.map(a => a.status).sort()).toEqual([200, 404])
  })

  it('a deletion needs the role admin in an org, and the log of the org keeps it', async () => {
    const [owner, admin, member, stranger] = [
      await server().account(),
      await server().account(),
      await server().account(),
      await server().account(),
    ]
    const roles = { [owner.id]: 'owner', [admin.id]: 'admin', [member.id]: 'member' } as const
    const org = await makeOrg(server(), roles)
    const name = await create(member.token, org.name)
    await deployText(member.token, name, 'x')
    expect((await remove(stranger.token, name)).status).toBe(404)
    expect((await remove(member.token, name)).json.error.code).toBe('forbidden')
    expect((await server().site(name)).text).toBe('x')
    expect((await remove(admin.token, name)).status).toBe(200)
    const { db } = server().running.platform.store
    const log = await db.selectFrom('audit').selectAll().where('org_id', '=', org.id).execute()
    expect(log.map(row => row.action).sort()).toEqual([
      'deployment.upload',
      'project.create',
      'project.delete',
    ])
    expect(log.find(row => row.action === 'project.delete')).toMatchObject({
      actor: admin.login,
      target: name,
      project_id: null,
    })
  })

  it('a deletion ends an upload that is under way in a clean 404, without files', async () => {
    const { token } = await server().account()
    const name = await create(token)
    const archive = archiveOf({ 'index.html': randomText(50_000) })
    const slow = beginUpload(server(), token, `/projects/${name}/deployments`, archive)
    const deployments = async (): Promise<{ id: string }[]> =>
      (await server().request(`/projects/${name}`, { token })).json.deployments
    await eventually(async () => (await deployments()).length === 1)
    const ids = (await deployments()).map(({ id }) => id)
    expect((await remove(token, name)).status).toBe(200)
    const { status, json } = await slow.finish()
    expect([status, json.error?.code]).toEqual([404, 'not_found'])
    expect(json.error?.message).toBe(`The project '${name}' was deleted meanwhile.`)
    expect(await hasPacks(ids)).toBe(false)
  })

  it('a deletion and an upload at the same time leave either a 404 or a live site, and nothing between', async () => {
    const { token } = await server().account()
    const archive = archiveOf({ 'index.html': 'race' })
    for (let round = 0; round < 5; round++) {
      const name = await create(token)
      const [removed, ...uploads] = await Promise.all([
        remove(token, name),
        ...Array.from({ length: 4 }, () => server().upload(token, name, archive)),
      ])
      expect(removed!.status).toBe(200)
      for (const upload of uploads) expect([201, 404]).toContain(upload.status)
      expect((await server().site(name)).status).toBe(404)
    }
  })

  it('a deletion fails if the project went to another owner after the check of the role', async () => {
    const { token, id } = await server().account()
    const org = await makeOrg(server(), { [id]: 'member' })
    const name = await create(token)
    await deployText(token, name, 'kept')
    const { platform } = server().running
    const caller = (await callerBehind(platform, token, '127.0.0.1'))!
    const seen = await projectFor(platform, caller, name, 'admin')
    await server().request(`/projects/${name}/transfer`, { method: 'POST', token, body: { org: org.name } })
    await expect(deleteProject(platform, caller, seen)).rejects.toMatchObject({ code: 'not_found' })
    await removeDiscardedPacks(platform)
    expect((await server().site(name)).text).toBe('kept')
  })
})

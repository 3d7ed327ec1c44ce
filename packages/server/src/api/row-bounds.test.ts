// Rows that an account could make without end.
import { rateLimits } from '@svc/contract'
import { expect, it } from 'vitest'
import { spend } from '../core/base/rate-limit.ts'
import { sweep } from '../core/platform/sweep.ts'
import { insertAudit } from '../store/platform/audit.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

const day = 86_400_000
const site = { 'index.html': 'hello' }

onEveryServer(server => {
  const platform = () => server().running.platform
  const db = () => platform().store.db

  const projectId = async (name: string) =>
    (await db().selectFrom('projects').select('id').where('name', '=', name).executeTakeFirstOrThrow()).id

  const auditOf = (id: string) =>
    db().selectFrom('audit').selectAll().where('project_id', '=', id).orderBy('created_at').execute()

  it('an account that makes changes without end is slowed down, and others are not', async () => {
    const { token, id } = await server().account()
    const { limit } = rateLimits.writes
    await db()
      .insertInto('rate_limits')
      .values({ key: `writes account ${id}`, window_start: server().clock.now(), count: limit - 50 })
      .execute()
    const write = (by = token) =>
      server().request('/projects', { method: 'POST', token: by, body: { name: '!' } })
    const answers = await Promise.all(Array.from({ length: 120 }, () => write()))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter(status => status === 400)).toHaveLength(50)
    expect(statuses.filter(status => status === 429)).toHaveLength(70)
    const refused = answers.find(({ status }) => status === 429)!
    expect(refused.json.error.message).toBe('This account makes too many changes. Try again in 10 minutes.')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await server().request('/me', { token })).status).toBe(200)
    expect((await write((await server().account()).token)).status).toBe(400)
    server().clock.advance(rateLimits.writes.windowMs)
    expect((await write()).status).toBe(400)
  })

  it('uploads that fail again and again leave a hundred records, and the site stays', async () => {
    const { token } = await server().account()
    const name = await deploySite(server(), token, site)
    const project_id = await projectId(name)
    const [live] = await db()
      .selectFrom('deployments')
      .selectAll()
      .where('project_id', '=', project_id)
      .execute()
    const failed = Array.from({ length: 99 }, (_, i) => {
      const [id, created_at] = [`dep_${name}${i}`, live!.created_at + i]
      return { ...live!, id, created_at, status: 'failed' as const }
    })
    await db().insertInto('deployments').values(failed).execute()
    for (let i = 0; i < 4; i++) {
      server().clock.advance(1_000)
      expect((await server().upload(token, name, Buffer.from('no archive'))).status).toBe(400)
    }
    const rows = await db()
      .selectFrom('deployments')
      .select(['status'])
      .where('project_id', '=', project_id)
      .execute()
    expect(rows.filter(({ status }) => status === 'failed')).toHaveLength(100)
    expect(rows.filter(({ status }) => status === 'live')).toHaveLength(1)
    expect((await server().site(name)).text).toBe('hello')
  })

  it('the audit log of a project keeps its newest entries, within its bound', async () => {
    const { token } = await server().account()
    const name = await deploySite(server(), token, site)
    const project_id = await projectId(name)
    const entry = {
      org_id: null,
      account_id: null,
      actor: 'a',
      action: 'env.set',
      target: null,
      ip: '',
      details: '{}',
    }
    const start = server().clock.now() + 1
    for (let i = 0; i < 8; i++)
      await insertAudit(
        db(),
        { ...entry, project_id, created_at: start + i },
        { project_id: 5, org_id: 5, account_id: 5 },
      )
    expect((await auditOf(project_id)).map(({ created_at }) => created_at - start)).toEqual([3, 4, 5, 6, 7])
  })

  it('entries of the audit log go after a year, and those of a deleted project at once', async () => {
    const { token } = await server().account()
    const [kept, deleted] = [await deploySite(server(), token, site), await deploySite(server(), token, site)]
    const keptId = await projectId(kept)
    expect((await auditOf(keptId)).length).toBeGreaterThan(0)
    await server().request(`/projects/${deleted}`, { method: 'DELETE', token })
    await sweep(platform())
    const ofNobody = db()
      .selectFrom('audit')
      .selectAll()
      .where('project_id', 'is', null)
      .where('org_id', 'is', null)
    expect(await ofNobody.execute()).toEqual([])
    expect((await auditOf(keptId)).length).toBeGreaterThan(0)
    server().clock.advance(366 * day)
    await sweep(platform())
    expect(await auditOf(keptId)).toEqual([])
  })

  it('no sweep ends the window of a limit early, be it a day long', async () => {
    const key = 'mail to somebody'
    await spend(platform(), key, rateLimits.mailToStranger)
    server().clock.advance(23 * 3_600_000)
    await sweep(platform())
    const { remaining } = await spend(platform(), key, rateLimits.mailToStranger)
    expect(remaining).toBe(rateLimits.mailToStranger.limit - 2)
    server().clock.advance(2 * day)
    await sweep(platform())
    const rows = db().selectFrom('rate_limits').selectAll().where('key', '=', key)
    expect(await rows.execute()).toEqual([])
  })
})

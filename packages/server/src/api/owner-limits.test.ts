// Limits of accounts and orgs: by the settings without billing, and those that the operator gives to one owner.
import { expect, it } from 'vitest'
import { type InstanceParts, requestInstance } from '../core/apps/instances.ts'
import { noticeBandwidth } from '../core/billing/notices.ts'
import { newId } from '../lib/ids.ts'
import { platformAdmin } from '../testing/admins.ts'
import { archiveOf } from '../testing/archives.ts'
import { WorkingCopy } from '../testing/git.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer, type TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'
import { freshName } from '../testing/team.ts'

const MB = 1024 ** 2
const GB = 1024 ** 3
const site = { 'index.html': 'hello' }

const createProject = (server: TestServer, who: { token: string }, org?: string) =>
  send(server, 'POST /projects', who, { name: freshName(), ...(org && { org }) })

const limitOf = async (server: TestServer, admin: { token: string }, owner: string, name: string) =>
  (await send(server, `GET /admin/limits/${owner}`, admin)).json.limits.find(
    (limit: { name: string }) => limit.name === name,
  )

onEveryServer(
  server => {
    const change = (admin: { token: string }, owner: string, body: object) =>
      send(server(), `PATCH /admin/limits/${owner}`, admin, body)

    it('of many projects that are created at once, the platform accepts as many as the setting allows', async () => {
      const who = await server().account()
      const made = await Promise.all(Array.from({ length: 8 }, () => createProject(server(), who)))
      expect(made.filter(({ status }) => status === 201)).toHaveLength(3)
      const refused = made.find(({ status }) => status !== 201)!
      expect(refusal(refused)).toBe('402 quota_exceeded')
      expect(refused.json.error.message).toBe(
        'This instance allows 3 projects, and 3 are used. Delete one, or ask the operator of this instance for more.',
      )
    })

    it('an org has the limits of the settings, too, and an account owns no more orgs than they allow', async () => {
      const who = await server().account()
      const org = freshName()
      const orgs = await Promise.all(
        [org, freshName(), freshName()].map(name => send(server(), 'POST /orgs', who, { name })),
      )
      expect(orgs.filter(({ status }) => status === 201)).toHaveLength(1)
      const [{ name }] = (await send(server(), 'GET /orgs', who)).json.orgs
      for (let i = 0; i < 3; i++) expect((await createProject(server(), who, name)).status).toBe(201)
      expect(refusal(await createProject(server(), who, name))).toBe('402 quota_exceeded')
      expect((await createProject(server(), who)).status).toBe(201)
    })

    it('the operator gives one account other limits, which count at once, and takes them back', async () => {
      const admin = await platformAdmin(server())
      const who = await server().account()
      for (let i = 0; i < 3; i++) await createProject(server(), who)
      const { status, json } = await change(admin, who.login.toUpperCase(), { projects: 4, orgs: null })
      expect([status, json.owner, json.kind]).toEqual([200, who.login, 'account'])
      expect(json.limits.slice(0, 2)).toEqual([
        { name: 'projects', allowed: 4, is_own: true, default: 3, used: 3 },
        { name: 'orgs', allowed: null, is_own: true, default: 1, used: 0 },
      ])
      expect((await createProject(server(), who)).status).toBe(201)
      const refused = await createProject(server(), who)
      expect(refused.json.error.message).toBe(
        'The operator allows 4 projects, and 4 are used. Delete one, or ask the operator of this instance for more.',
      )
      await change(admin, who.login, { projects: 'default' })
      expect(await limitOf(server(), admin, who.login, 'projects')).toEqual(
        expect.objectContaining({ allowed: 3, is_own: false, used: 4 }),
      )
      expect((await createProject(server(), who)).json.error.message).toContain(
        'This instance allows 3 projects',
      )
      expect(await limitOf(server(), admin, who.login, 'orgs')).toEqual(
        expect.objectContaining({ allowed: null, is_own: true }),
      )
    })

    it('of a limit that is lowered and projects that are created at once, no project exceeds both limits', async () => {
      const admin = await platformAdmin(server())
      const who = await server().account()
      const created = Promise.all(Array.from({ length: 6 }, () => createProject(server(), who)))
      const [, made] = await Promise.all([change(admin, who.login, { projects: 1 }), created])
      expect(made.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(3)
      expect(refusal(await createProject(server(), who))).toBe('402 quota_exceeded')
    })

    it('an account and the members of an org see their limits and what they use, also without billing', async () => {
      const admin = await platformAdmin(server())
      const [who, other] = [await server().account(), await server().account()]
      await change(admin, who.login, { projects: 7, orgs: null })
      await createProject(server(), who)
      const own = await send(server(), 'GET /me/limits', who)
      expect([own.status, own.json.owner]).toEqual([200, who.login])
      expect(own.json.limits).toContainEqual({
        name: 'projects',
        allowed: 7,
        is_own: true,
        default: 3,
        used: 1,
      })
      const name = freshName()
      await send(server(), 'POST /orgs', who, { name })
      const ofOrg = await send(server(), `GET /orgs/${name}/limits`, who)
      expect(ofOrg.json).toMatchObject({ owner: name, kind: 'org' })
      expect(refusal(await send(server(), `GET /orgs/${name}/limits`, other))).toBe('404 not_found')
    })

    it('an org has limits of its own, and the operator finds it with its owner', async () => {
      const admin = await platformAdmin(server())
      const who = await server().account()
      const org = freshName()
      await send(server(), 'POST /orgs', who, { name: org })
      expect((await send(server(), `GET /admin/limits/${who.login}`, admin)).json.orgs).toEqual([org])
      const { json } = await change(admin, org, { projects: 0 })
      expect([json.kind, json.orgs]).toEqual(['org', []])
      expect(refusal(await createProject(server(), who, org))).toBe('402 quota_exceeded')
      const orgs = await change(admin, org, { orgs: 3 })
      expect([refusal(orgs), orgs.json.error.message]).toEqual([
        '400 invalid_request',
        'orgs: an org owns no orgs, so it has no such limit.',
      ])
      const { json: log } = await send(server(), `GET /orgs/${org}/audit`, who)
      expect(log.entries[0]).toEqual(
        expect.objectContaining({ action: 'limits.change', actor: admin.login, details: { projects: 0 } }),
      )
      await send(server(), `DELETE /orgs/${org}`, who)
      const { db } = server().running.platform.store
      expect(
        await db.selectFrom('owner_limits').selectAll().where('owner_id', 'like', 'org_%').execute(),
      ).toEqual([])
    })

    it('only platform admins see and change limits, and nonsense is refused', async () => {
      const admin = await platformAdmin(server())
      const who = await server().account()
      expect(refusal(await send(server(), `GET /admin/limits/${who.login}`, who))).toBe('403 forbidden')
      expect(refusal(await change(who, who.login, { projects: null }))).toBe('403 forbidden')
      expect(refusal(await change(admin, 'nobody-here', { projects: 1 }))).toBe('404 not_found')
      const bad = [{}, { projects: -1 }, { projects: 1.5 }, { projects: '5' }, { running_apps: 0 }]
      for (const body of [...bad, { projects: 2 ** 53 }, { domains: 3 }])
        expect([body, refusal(await change(admin, who.login, body))]).toEqual([body, '400 invalid_request'])
      // The largest amount comes back as it was sent.
      await change(admin, who.login, { stored_bytes: Number.MAX_SAFE_INTEGER })
      const { allowed } = await limitOf(server(), admin, who.login, 'stored_bytes')
      expect(allowed).toBe(Number.MAX_SAFE_INTEGER)
    })

    it('of two uploads that fit alone but not together, the platform accepts exactly one', async () => {
      const admin = await platformAdmin(server())
      const who = await server().account()
      const names = [await deploySite(server(), who.token, site), await deploySite(server(), who.token, site)]
      const archive = archiveOf({ 'index.html': 'x'.repeat(MB) })
      await change(admin, who.login, { stored_bytes: 2 * MB })
      const answers = await Promise.all(names.map(name => server().upload(who.token, name, archive)))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 402])
      expect(answers.find(({ status }) => status === 402)!.json.error.message).toMatch(
        /^The operator allows 2 MB of stored deployments, and .* used\. Delete old deployments/,
      )
    })

    it('of apps of several projects that start at once, no more run than the operator allows', async () => {
      const admin = await platformAdmin(server())
      const who = await server().account()
      await change(admin, who.login, { running_apps: 2 })
      const { platform } = server().running
      const { store, clock } = platform
      const parts: InstanceParts = {
        ...{ store, clock, nodeId: newId('ins'), runsApps: true },
        bounds: { plans: platform, perNode: 100 },
      }
      const apps = []
      for (let i = 0; i < 3; i++) {
        const name = await deploySite(server(), who.token, site)
        const { json } = await send(server(), `GET /projects/${name}`, who)
        apps.push({ projectId: json.id, deploymentId: json.deployments[0].id })
      }
      const outcomes = await Promise.all(apps.map(app => requestInstance(parts, app)))
      expect(outcomes.toSorted()).toEqual(['asked', 'asked', 'full'])
      expect((await limitOf(server(), admin, who.login, 'running_apps')).used).toBe(2)
      // What this test began must not look like an app of a running node.
      await store.db.deleteFrom('app_instances').where('node_id', '=', parts.nodeId).execute()
    })

    it('builds are refused once the minutes of the month are used up', async () => {
      const admin = await platformAdmin(server())
      const who = await server().account()
      const { json: project } = await createProject(server(), who)
      const body = { repo: `${who.login}/site`, build_cmd: 'true', install_cmd: 'true' }
      await send(server(), `POST /projects/${project.name}/repo`, who, body)
      const copy = await WorkingCopy.make(server(), who.token, body.repo)
      await copy.commit(site)
      await change(admin, who.login, { build_minutes: 0 })
      const push = await copy.git('push', 'origin', 'main')
      await copy.remove()
      expect([push.code, push.stderr]).toEqual([0, expect.stringContaining('no build minutes are left')])
      const refused = await send(server(), `POST /projects/${project.name}/builds`, who, {})
      expect([refusal(refused), refused.json.error.message]).toEqual([
        '402 quota_exceeded',
        'The operator allows 0 build minutes a month, and 0 are used. Wait until the next month begins (UTC), or ask the operator of this instance for more.',
      ])
    })

    it('an owner over the bandwidth gets one email about it, and the site is served on', async () => {
      const admin = await platformAdmin(server())
      const { platform } = server().running
      const who = await server().account()
      const name = await deploySite(server(), who.token, site)
      const { json: project } = await send(server(), `GET /projects/${name}`, who)
      await change(admin, who.login, { bandwidth_bytes: 2 * GB })
      const now = server().clock.now()
      await platform.store.db
        .insertInto('stats_hours')
        .values({
          ...{ project_id: project.id, hour: now - (now % 3_600_000), bytes: 3 * GB, requests: 1 },
          ...{ cache_hits: 0, status_2xx: 1, status_3xx: 0, status_4xx: 0, status_5xx: 0, status_other: 0 },
          ...{ pageviews: 0, visitors: 0, lost: 0 },
        })
        .execute()
      await Promise.all([noticeBandwidth(platform), noticeBandwidth(platform)])
      const mails = await platform.store.db
        .selectFrom('billing_mails')
        .select(['kind', 'details'])
        .where('owner_id', '=', who.id)
        .execute()
      expect(mails.map(({ kind, details }) => [kind, JSON.parse(details)])).toEqual([
        ['bandwidth-100', { plan: '', used: 3 * GB, allowed: 2 * GB }],
      ])
      expect((await server().site(name)).text).toBe('hello')
    })
  },
  { SVCD_BILLING: 'off', SVCD_LIMIT_PROJECTS: '3', SVCD_LIMIT_ORGS: '1' },
)

onEveryServer(server => {
  it('a limit that the operator sets for an account replaces that of its plan', async () => {
    const admin = await platformAdmin(server())
    const who = await server().account()
    const body = { projects: 0 }
    const { json } = await send(server(), `PATCH /admin/limits/${who.login}`, admin, body)
    expect(json.limits[0]).toEqual({ name: 'projects', allowed: 0, is_own: true, default: 50, used: 0 })
    expect(refusal(await createProject(server(), who))).toBe('402 quota_exceeded')
    const { plan, catalog } = (await send(server(), 'GET /billing', who)).json
    expect([plan.projects, catalog[0].projects]).toEqual([0, 50])
  })
})

import { describe, expect, it } from 'vitest'
import { insertAudit } from '../store/platform/audit.ts'
import { platformAdmin } from '../testing/admins.ts'
import { archiveOf } from '../testing/archives.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer, type TestServer } from '../testing/server.ts'
import { freshName, makeTeam, type Person, secretOf, type Team } from '../testing/team.ts'

interface Entry {
  at: string
  actor: string
  action: string
  target: string | null
  project: string | null
  ip: string
  details: Record<string, unknown>
}

/** Makes every kind of change to an org in turn. Returns all secrets that appeared in answers. */
async function live(server: TestServer, team: Team) {
  const secrets: string[] = []
  const change = async (line: `${string} /${string}`, who: Person, body?: unknown) => {
    server.clock.advance(1_000)
    const { status, json } = await send(server, line, who, body)
    expect(status, line).toBeLessThan(300)
    if (json.token) secrets.push(json.token)
    if (json.invite_url) secrets.push(secretOf(json.invite_url))
    return json
  }
  const { org, owner, admin, member, outsider } = team
  const invite = await change(`POST /orgs/${org}/invites`, admin, { email: 'x@example.com' })
  await change(`DELETE /orgs/${org}/invites/${invite.id}`, admin)
  const second = await change(`POST /orgs/${org}/invites`, admin, { email: 'y@example.com', role: 'admin' })
  await change(`POST /invites/${secretOf(second.invite_url)}/accept`, outsider)
  await change(`PUT /orgs/${org}/members/${outsider.login}`, owner, { role: 'member' })
  await change(`DELETE /orgs/${org}/members/${outsider.login}`, outsider)
  await change(`PATCH /orgs/${org}`, admin, { display_name: 'Acme' })
  const token = await change(`POST /orgs/${org}/tokens`, admin, { kind: 'deploy', label: 'CI' })
  const project = freshName()
  await change('POST /projects', member, { name: project, org })
  server.clock.advance(1_000)
  const uploaded = await server.upload(token.token, project, archiveOf({ 'index.html': 'hi' }))
  await change(`DELETE /orgs/${org}/tokens/${token.id}`, owner)
  const { installations } = (await send(server, 'GET /github', member)).json
  await change(`POST /orgs/${org}/installations`, member, { installation_id: installations[0].id })
  await change(`DELETE /orgs/${org}/installations/${installations[0].id}`, member)
  const ids = { token: token.id, invite: invite.id, installation: String(installations[0].id) }
  return { secrets, project, deployment: uploaded.json.deployment_id as string, ids }
}

onEveryServer(server => {
  async function entries(path: `/${string}`, who: Person, limit = 100): Promise<Entry[]> {
    const all: Entry[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const line = `GET ${path}?limit=${limit}${cursor && `&cursor=${cursor}`}` as const
      const { json } = await send(server(), line, who)
      expect(json.entries.length).toBeLessThanOrEqual(limit)
      all.push(...json.entries)
      cursor = json.next_cursor
    }
    return all
  }

  it('lists entries of the same millisecond in their order, newest first', async () => {
    const owner = await server().account()
    const name = freshName()
    await send(server(), 'POST /projects', owner, { name })
    const { store, clock } = server().running.platform
    const { id: project_id } = await store.db
      .selectFrom('projects')
      .select('id')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    const at = { created_at: clock.now() + 1, project_id, org_id: null, account_id: null }
    const made = Array.from({ length: 12 }, (_, i) => `VARIABLE_${i}`)
    for (const target of made)
      await insertAudit(store.db, {
        ...at,
        actor: owner.login,
        action: 'env.set',
        target,
        ip: '',
        details: '{}',
      })
    const shown = await entries(`/projects/${name}/audit`, owner)
    expect(shown.slice(0, 12).map(({ target }) => target)).toEqual(made.reverse())
  })

  describe('the audit log of an org', () => {
    it('says who did what, newest first, also in its projects', async () => {
      const team = await makeTeam(server())
      const { project, deployment, ids } = await live(server(), team)
      const { owner, admin, member, outsider } = team
      const log = await entries(`/orgs/${team.org}/audit`, admin)
      const lines = log.map(({ action, actor, target }) => [action, actor, target])
      expect(lines.slice(0, 13)).toEqual([
        ['installation.unshare', member.login, ids.installation],
        ['installation.share', member.login, ids.installation],
        ['token.revoke', owner.login, ids.token],
        ['deployment.upload', admin.login, deployment],
        ['project.create', member.login, project],
        ['token.create', admin.login, ids.token],
        ['org.update', admin.login, team.org],
        ['member.remove', outsider.login, outsider.login],
        ['member.role', owner.login, outsider.login],
        ['member.join', outsider.login, outsider.login],
        ['invite.create', admin.login, 'y@example.com'],
        ['invite.revoke', admin.login, ids.invite],
        ['invite.create', admin.login, 'x@example.com'],
      ])
      expect(lines.at(-1)).toEqual(['org.create', owner.login, team.org])
      for (const entry of log) expect(entry.ip).toBe('127.0.0.1')
      const byAction = (action: string) => log.find(entry => entry.action === action)?.details
      expect(byAction('member.role')).toEqual({ from: 'admin', to: 'member' })
      expect(byAction('token.create')).toEqual({ kind: 'deploy', label: 'CI' })
      expect(byAction('deployment.upload')).toMatchObject({ token: ids.token })
      expect(log.find(({ action }) => action === 'deployment.upload')?.project).toBe(project)
      expect(log.find(({ action }) => action === 'org.update')?.project).toBeNull()
    })

    it('is read page by page without a gap', async () => {
      const team = await makeTeam(server())
      await live(server(), team)
      const path = `/orgs/${team.org}/audit` as const
      const whole = await entries(path, team.owner)
      expect(await entries(path, team.owner, 3)).toEqual(whole)
      expect(refusal(await send(server(), `GET ${path}?cursor=nonsense`, team.owner))).toBe(
        '400 invalid_request',
      )
    })

    it('never holds a secret, nor does any row of the database', async () => {
      const team = await makeTeam(server())
      const { secrets } = await live(server(), team)
      expect(secrets).toHaveLength(3)
      const { db } = server().running.platform.store
      const log = JSON.stringify(await db.selectFrom('audit').selectAll().execute())
      const stored = JSON.stringify([
        await db.selectFrom('tokens').selectAll().execute(),
        await db.selectFrom('invites').selectAll().execute(),
      ])
      for (const secret of [...secrets, team.owner.token]) {
        expect(log).not.toContain(secret)
        expect(stored).not.toContain(secret)
      }
    })

    it('writes nothing where nothing was done', async () => {
      const team = await makeTeam(server())
      const before = await entries(`/orgs/${team.org}/audit`, team.owner)
      await send(server(), `PATCH /orgs/${team.org}`, team.member, { display_name: 'Mine' })
      await send(server(), `DELETE /orgs/${team.org}/members/${team.owner.login}`, team.owner)
      await send(server(), `DELETE /orgs/${team.org}/tokens/tok_unknown`, team.owner)
      await send(server(), `DELETE /orgs/${team.org}`, team.admin)
      expect(await entries(`/orgs/${team.org}/audit`, team.owner)).toEqual(before)
    })
  })

  it('of a project is for everyone who may work on it, and holds only what is its own', async () => {
    const team = await makeTeam(server())
    const { project } = await live(server(), team)
    const log = await entries(`/projects/${project}/audit`, team.member)
    expect(log.map(({ action }) => action)).toEqual(['deployment.upload', 'project.create'])
    expect(refusal(await send(server(), `GET /projects/${project}/audit`, team.outsider))).toBe(
      '404 not_found',
    )
  })

  const linesOf = (text: string): (Entry & { id: string; org: string | null })[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))

  it('GET /orgs/:name/audit/export has every entry of the log on a line, for admins of the org', async () => {
    const team = await makeTeam(server())
    await live(server(), team)
    const path = `/orgs/${team.org}/audit` as const
    const answer = await send(server(), `GET ${path}/export`, team.admin)
    expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    expect(linesOf(answer.text)).toEqual(await entries(path, team.admin))
    expect(refusal(await send(server(), `GET ${path}/export`, team.member))).toBe('403 forbidden')
  })

  it('GET /admin/audit/export has the entries of all orgs and projects, in portions, for platform admins', async () => {
    const who = await server().account()
    const name = freshName()
    await send(server(), 'POST /projects', who, { name })
    const project_id = (await send(server(), `GET /projects/${name}`, who)).json.id
    const { db } = server().running.platform.store
    const at = server().clock.now()
    const entry = { org_id: null, account_id: null, actor: 'ada', target: null, ip: '', details: '{}' }
    for (let i = 0; i < 450; i++)
      await insertAudit(db, { ...entry, project_id, action: 'env.set', created_at: at + i })
    const admin = await platformAdmin(server())
    const all = linesOf((await send(server(), 'GET /admin/audit/export', admin)).text)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(all.filter(({ project }) => project === name)).toHaveLength(451)
    const since = new Date(at + 440).toISOString()
    const late = linesOf((await send(server(), `GET /admin/audit/export?since=${since}`, admin)).text)
    expect(late.filter(({ project }) => project === name)).toHaveLength(10)
    expect(refusal(await send(server(), 'GET /admin/audit/export?since=soon', admin))).toBe(
      '400 invalid_request',
    )
    expect(refusal(await send(server(), 'GET /admin/audit/export', who))).toBe('403 forbidden')
  })
})

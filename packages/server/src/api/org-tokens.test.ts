import { type EndpointKey, endpoints } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { archiveOf } from '../testing/archives.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam, type Person, type Team } from '../testing/team.ts'

/** The endpoints that service.md allows for a deploy token. */
const deploySurface: EndpointKey[] = [
  'GET /me',
  'GET /projects',
  'GET /projects/:name',
  'POST /projects/:name/deployments',
  'POST /projects/:name/deployments/:id/activate',
  'POST /projects/:name/revalidate',
]

onEveryServer(server => {
  const create = (team: Team, who: Person, body: unknown) =>
    send(server(), `POST /orgs/${team.org}/tokens`, who, body)
  const orgToken = async (team: Team, kind: 'ai' | 'deploy'): Promise<{ id: string; token: string }> =>
    (await create(team, team.admin, { kind, label: 'CI' })).json

  /** Calls every endpoint that needs a token. Returns those that the token may call. */
  async function reachable(team: Team, who: { token: string }): Promise<string[]> {
    const project = freshName()
    await send(server(), 'POST /projects', team.owner, { name: project, org: team.org })
    const reached: string[] = []
    for (const [key, { access }] of Object.entries(endpoints)) {
      if (access === 'none') continue
      const name = key.includes('/orgs/') ? team.org : project
      const line = key.replace(':name', name).replace(/:\w+/g, 'unknown') as EndpointKey
      const { status } = await send(server(), line, who)
      if (status !== 401) reached.push(key)
    }
    return reached.toSorted()
  }

  describe('a deploy token', () => {
    it('reaches exactly the deploy surface', async () => {
      const team = await makeTeam(server())
      expect(await reachable(team, await orgToken(team, 'deploy'))).toEqual(deploySurface.toSorted())
    })

    it('names its org, and the account that made it', async () => {
      const team = await makeTeam(server())
      const { json } = await send(server(), 'GET /me', await orgToken(team, 'deploy'))
      expect(json).toMatchObject({
        id: team.admin.id,
        gitforge_login: team.admin.login,
        token_kind: 'deploy',
        org: team.org,
      })
    })

    it("sees its org's projects and no others", async () => {
      const [team, other] = [await makeTeam(server()), await makeTeam(server())]
      const [own, foreign, personal] = [freshName(), freshName(), freshName()]
      await send(server(), 'POST /projects', team.owner, { name: own, org: team.org })
      await send(server(), 'POST /projects', other.owner, { name: foreign, org: other.org })
      await send(server(), 'POST /projects', team.admin, { name: personal })
      const token = await orgToken(team, 'deploy')
      for (const line of ['GET /projects', `GET /projects?org=${team.org}`] as const)
        expect((await send(server(), line, token)).json.projects).toMatchObject([
          { name: own, org: team.org },
        ])
      for (const name of [foreign, personal])
        expect(refusal(await send(server(), `GET /projects/${name}`, token))).toBe('404 not_found')
      expect(refusal(await send(server(), `GET /projects?org=${other.org}`, token))).toBe('404 not_found')
    })

    it('deploys and rolls back, whatever becomes of whoever made it', async () => {
      const team = await makeTeam(server())
      const project = freshName()
      await send(server(), 'POST /projects', team.owner, { name: project, org: team.org })
      const { token } = await orgToken(team, 'deploy')
      const archive = archiveOf({ 'index.html': 'by CI' })
      const first = await server().upload(token, project, archive)
      expect(first.status).toBe(201)
      await send(server(), `DELETE /orgs/${team.org}/members/${team.admin.login}`, team.owner)
      expect((await server().upload(token, project, archive)).status).toBe(201)
      const line = `POST /projects/${project}/deployments/${first.json.deployment_id}/activate` as const
      expect((await send(server(), line, { token })).json.active_deployment_id).toBe(first.json.deployment_id)
      expect((await server().site(project)).text).toBe('by CI')
    })
  })

  it('an ai token reaches nothing here', async () => {
    const team = await makeTeam(server())
    expect(await reachable(team, await orgToken(team, 'ai'))).toEqual([])
  })

  it('tokens of an org are made by admins, and listed without their secrets', async () => {
    const team = await makeTeam(server())
    const { status, json } = await create(team, team.admin, { kind: 'deploy', label: 'CI of the shop' })
    expect(status).toBe(201)
    const { token, ...record } = json
    expect(token).toMatch(/^svc_[A-Za-z0-9_-]{43}$/)
    expect(record).toEqual({
      id: expect.stringMatching(/^tok_[a-z0-9]{16}$/),
      kind: 'deploy',
      label: 'CI of the shop',
      project: null,
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
      created_by: team.admin.login,
    })
    const listed = await send(server(), `GET /orgs/${team.org}/tokens`, team.owner)
    expect(listed.json).toEqual({ tokens: [record], next_cursor: null })
    expect((await send(server(), 'GET /tokens', team.admin)).text).not.toContain(record.id)
  })

  it.each([
    ['no kind', {}],
    ['a kind that orgs have not', { kind: 'cli' }],
    ['a label that is too long', { kind: 'ai', label: 'x'.repeat(201) }],
  ])('tokens of an org are not made with %s', async (_, body) => {
    const team = await makeTeam(server())
    expect(refusal(await create(team, team.admin, body))).toBe('400 invalid_request')
  })

  it('tokens of an org are revoked once, by their org alone, and work no more', async () => {
    const [team, other] = [await makeTeam(server()), await makeTeam(server())]
    const { id, token } = await orgToken(team, 'deploy')
    const revoke = (org: string, who: Person) => send(server(), `DELETE /orgs/${org}/tokens/${id}`, who)
    expect(refusal(await revoke(other.org, other.owner))).toBe('404 not_found')
    expect(refusal(await send(server(), `DELETE /tokens/${id}`, team.admin))).toBe('404 not_found')
    expect((await send(server(), 'GET /me', { token })).status).toBe(200)
    expect((await revoke(team.org, team.owner)).json).toEqual({ ok: true })
    expect(refusal(await revoke(team.org, team.owner))).toBe('404 not_found')
    expect(refusal(await send(server(), 'GET /me', { token }))).toBe('401 unauthorized')
    expect((await send(server(), `GET /orgs/${team.org}/tokens`, team.owner)).json.tokens).toEqual([])
  })

  it('tokens of an org are listed page by page, newest first', async () => {
    const team = await makeTeam(server())
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      ids.unshift((await orgToken(team, 'ai')).id)
      server().clock.advance(1_000)
    }
    const line = `GET /orgs/${team.org}/tokens?limit=3` as const
    const first = (await send(server(), line, team.admin)).json
    const second = (await send(server(), `${line}&cursor=${first.next_cursor}`, team.admin)).json
    const listed = [...first.tokens, ...second.tokens].map((token: { id: string }) => token.id)
    expect(listed).toEqual(ids)
    expect(second.next_cursor).toBe(null)
  })
})

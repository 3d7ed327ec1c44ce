import { type EndpointKey, endpoints, rateLimits } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { spend } from '../core/base/rate-limit.ts'
import { sha256 } from '../lib/ids.ts'
import { archiveOf } from '../testing/archives.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam, type Person } from '../testing/team.ts'

/** What a token for one project reaches, besides the endpoints of the project that a member may call. */
const outside: EndpointKey[] = ['GET /me', 'GET /projects']
/** Endpoints of a project that use other rights of the account. */
const refused: EndpointKey[] = ['POST /projects/:name/repo', 'POST /projects/:name/transfer']

onEveryServer(server => {
  async function makeProject(who: Person, org?: string): Promise<string> {
    const name = freshName()
    await send(server(), 'POST /projects', who, { name, ...(org && { org }) })
    return name
  }
  const create = (who: Person, project: unknown, kind = 'cli') =>
    send(server(), 'POST /tokens', who, { kind, label: 'CI', project })
  const tokenFor = async (who: Person, project: string): Promise<{ id: string; token: string }> =>
    (await create(who, project)).json
  const deploy = async (token: string, project: string) =>
    await server().upload(token, project, archiveOf({ 'index.html': 'by CI' }))

  describe('a token for one project', () => {
    it('reaches what a member may do in that project, and nothing else', async () => {
      const person = await server().account()
      const project = await makeProject(person)
      const { token } = await tokenFor(person, project)
      const reached: string[] = []
      for (const [key, { access }] of Object.entries(endpoints)) {
        if (access === 'none') continue
        const line = key.replace(':name', project).replace(/:\w+/g, 'unknown') as EndpointKey
        const { status, json } = await send(server(), line, { token })
        if (status !== 401 && status !== 403) reached.push(key)
        else expect([key, status, json.error.code]).toEqual([key, 403, 'forbidden'])
      }
      const expected = Object.entries(endpoints)
        .filter(([key, row]) => key.includes(' /projects/:name') && 'role' in row && row.role === 'member')
        .map(([key]) => key as EndpointKey)
        .filter(key => !refused.includes(key))
      expect(reached.toSorted()).toEqual([...expected, ...outside].toSorted())
    })

    it('uses up none of the limits of its account where it reaches nothing', async () => {
      const person = await server().account()
      const { token } = await tokenFor(person, await makeProject(person))
      const body = { current_password: 'a', new_password: 'another long password' }
      for (let i = 0; i < 11; i++)
        expect(refusal(await send(server(), 'PUT /me/password', { token }, body))).toBe('403 forbidden')
      const own = await send(server(), 'PUT /me/password', person, body)
      expect(own.json.error.message).toBe('The current password is wrong.')
    })

    it('is not found by the bare hash of its secret, which servers of older versions look for', async () => {
      const person = await server().account()
      const { id, token } = await tokenFor(person, await makeProject(person))
      const { db } = server().running.platform.store
      const { hash } = await db
        .selectFrom('tokens')
        .select('hash')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      expect(hash).toBe(`project:${sha256(token)}`)
      expect((await send(server(), 'GET /me', { token })).status).toBe(200)
      // One that the version before this one stored goes on working, and stays limited.
      await db
        .updateTable('tokens')
        .set({ hash: sha256(token) })
        .where('id', '=', id)
        .execute()
      expect((await send(server(), 'GET /me', { token })).status).toBe(200)
      expect(refusal(await send(server(), 'GET /tokens', { token }))).toBe('403 forbidden')
    })

    it('has a limit of changes of its own, so that its account can still revoke it', async () => {
      const person = await server().account()
      const project = await makeProject(person)
      const { id, token } = await tokenFor(person, project)
      const { json } = await send(server(), `GET /projects/${project}`, person)
      const { limit } = rateLimits.writes
      await spend(server().running.platform, `writes project ${json.id}`, rateLimits.writes, limit)
      const star = await send(server(), `PUT /projects/${project}/star`, { token })
      expect(refusal(star)).toBe('429 rate_limit_exceeded')
      expect((await send(server(), `DELETE /tokens/${id}`, person)).status).toBe(200)
    })

    it('deploys the project, and sees it as the only one', async () => {
      const person = await server().account()
      const [own, other] = [await makeProject(person), await makeProject(person)]
      const { token } = await tokenFor(person, own)
      expect((await deploy(token, own)).status).toBe(201)
      expect((await server().site(own)).text).toBe('by CI')
      expect(refusal(await deploy(token, other))).toBe('404 not_found')
      expect(refusal(await send(server(), `GET /projects/${other}`, { token }))).toBe('404 not_found')
      expect((await send(server(), 'GET /projects', { token })).json).toMatchObject({
        projects: [{ name: own }],
        next_cursor: null,
      })
    })

    it('says which project it reaches: in the answer, in the list, and in GET /me', async () => {
      const person = await server().account()
      const project = await makeProject(person)
      const { id, token } = await tokenFor(person, project)
      const { tokens } = (await send(server(), 'GET /tokens', person)).json
      expect(tokens.find((row: { id: string }) => row.id === id)).toMatchObject({ project })
      expect(tokens.find((row: { current: boolean }) => row.current)).toMatchObject({ project: null })
      expect((await send(server(), 'GET /me', { token })).json).toMatchObject({
        project,
        token_kind: 'cli',
        org: null,
        platform_admin: false,
      })
      expect((await send(server(), 'GET /me', person)).json).not.toHaveProperty('project')
    })

    it('follows the project to a new name, and stops working when the project is deleted', async () => {
      const person = await server().account()
      const project = await makeProject(person)
      const { id, token } = await tokenFor(person, project)
      const name = freshName()
      await send(server(), `POST /projects/${project}/rename`, person, { name })
      expect((await send(server(), 'GET /me', { token })).json.project).toBe(name)
      expect((await send(server(), `GET /projects/${name}`, { token })).status).toBe(200)
      await send(server(), `DELETE /projects/${name}`, person)
      expect(refusal(await send(server(), 'GET /me', { token }))).toBe('401 unauthorized')
      expect((await send(server(), 'GET /tokens', person)).text).not.toContain(id)
    })

    it('of a project of an org works while its account belongs to the org', async () => {
      const team = await makeTeam(server())
      const project = await makeProject(team.owner, team.org)
      const { token } = await tokenFor(team.member, project)
      for (const line of ['GET /projects', `GET /projects?org=${team.org}`] as const)
        expect((await send(server(), line, { token })).json.projects).toMatchObject([{ name: project }])
      expect((await send(server(), 'GET /projects?org=another', { token })).json.projects).toEqual([])
      expect(refusal(await send(server(), `GET /orgs/${team.org}`, { token }))).toBe('403 forbidden')
      await send(server(), `DELETE /orgs/${team.org}/members/${team.member.login}`, team.owner)
      expect(refusal(await send(server(), `GET /projects/${project}`, { token }))).toBe('404 not_found')
      expect((await send(server(), 'GET /projects', { token })).json.projects).toEqual([])
    })

    it('gives an owner no more than the rights of a member', async () => {
      const team = await makeTeam(server())
      const project = await makeProject(team.owner, team.org)
      const token = await tokenFor(team.owner, project)
      expect(refusal(await send(server(), `DELETE /projects/${project}`, token))).toBe('403 forbidden')
      const name = freshName()
      const rename = await send(server(), `POST /projects/${project}/rename`, token, { name })
      expect(refusal(rename)).toBe('403 forbidden')
      const own = await makeProject(team.owner)
      const refused = await send(server(), `DELETE /projects/${own}`, await tokenFor(team.owner, own))
      expect(refused.json.error.message).toBe('This needs the role admin on the project; yours is member.')
    })

    it('cannot clone or push', async () => {
      const person = await server().account()
      const { token } = await tokenFor(person, await makeProject(person))
      const { status } = await server().request(
        `/git/${person.login}/site.git/info/refs?service=git-upload-pack`,
        { headers: { authorization: `Basic ${Buffer.from(`git:${token}`).toString('base64')}` } },
      )
      expect(status).toBe(401)
    })
  })

  it.each([
    ['a project of somebody else', 'cli', '404 not_found'],
    ['a project, if it is for the AI gateway', 'ai', '400 invalid_request'],
  ])('no token is made for %s', async (_, kind, expected) => {
    const [person, other] = [await server().account(), await server().account()]
    const project = await makeProject(kind === 'ai' ? person : other)
    expect(refusal(await create(person, project, kind))).toBe(expected)
  })

  it.each([[''], [7], [['a']], ['x'.repeat(101)]])('no token is made for the project %j', async project => {
    expect([400, 404]).toContain((await create(await server().account(), project)).status)
  })

  it('null as the project makes a token for all projects', async () => {
    const { status, json } = await create(await server().account(), null)
    expect([status, json.project]).toEqual([201, null])
  })

  describe('a deploy token for one project', () => {
    it('deploys that project of the org, and no other', async () => {
      const team = await makeTeam(server())
      const [one, other] = [await makeProject(team.owner, team.org), await makeProject(team.owner, team.org)]
      const made = await send(server(), `POST /orgs/${team.org}/tokens`, team.admin, {
        kind: 'deploy',
        project: one,
      })
      expect([made.status, made.json.project]).toEqual([201, one])
      const { token } = made.json
      expect((await deploy(token, one)).status).toBe(201)
      expect(refusal(await deploy(token, other))).toBe('404 not_found')
      expect((await send(server(), 'GET /projects', { token })).json.projects).toMatchObject([{ name: one }])
      expect(refusal(await send(server(), `GET /projects/${one}/env`, { token }))).toBe('401 unauthorized')
      expect((await send(server(), `GET /orgs/${team.org}/tokens`, team.admin)).json.tokens).toMatchObject([
        { project: one },
      ])
      await send(server(), `POST /projects/${one}/transfer`, team.owner, { org: null })
      expect(refusal(await deploy(token, one))).toBe('404 not_found')
    })

    it('is not made for a project outside the org', async () => {
      const team = await makeTeam(server())
      const personal = await makeProject(team.admin)
      const body = { kind: 'deploy', project: personal }
      expect(refusal(await send(server(), `POST /orgs/${team.org}/tokens`, team.admin, body))).toBe(
        '400 invalid_request',
      )
    })
  })
})

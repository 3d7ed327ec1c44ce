import { type RouteRole, routeRoles } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam, type Team } from '../testing/team.ts'

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const rank = { member: 1, admin: 2, owner: 3 }

/** Whether a role is too low for a route. `self` routes let every member in, and check further rules themselves. */
const isTooLow = (role: keyof typeof rank, needed: RouteRole): boolean =>
  needed !== 'self' && rank[role] < rank[needed]

/** Calls a route as every person of the team, the lowest role first. */
async function callAsEveryone(call: (who: Team['owner']) => Promise<{ status: number }>, team: Team) {
  const statuses: Record<string, number> = {}
  for (const role of ['outsider', 'member', 'admin', 'owner'] as const)
    statuses[role] = (await call(team[role])).status
  return statuses
}

const routes = Object.entries(routeRoles) as [`${string} /${string}`, RouteRole][]

onEveryServer(server => {
  describe('the table of roles', () => {
    it('is what every route of an org does', async () => {
      const team = await makeTeam(server())
      // The org has a project, so that nobody can delete it.
      await send(server(), 'POST /projects', team.owner, { name: freshName(), org: team.org })
      for (const [route, needed] of routes.filter(([key]) => key.includes(' /orgs/'))) {
        const line = route.replace(':name', team.org).replace(/:\w+/g, 'unknown') as typeof route
        const statuses = await callAsEveryone(who => send(server(), line, who), team)
        expect(statuses.outsider, route).toBe(404)
        for (const role of ['member', 'admin', 'owner'] as const) {
          expect([401, 500], route).not.toContain(statuses[role])
          expect(statuses[role] === 403, `${role}: ${route}`).toBe(isTooLow(role, needed))
        }
      }
    })

    it("is what every route of an org's project does", async () => {
      const team = await makeTeam(server())
      const name = freshName()
      for (const [route, needed] of routes.filter(([key]) => key.includes(' /projects/'))) {
        // If the call deleted the project, create it again.
        await send(server(), 'POST /projects', team.member, { name, org: team.org })
        const line = route.replace(':name', name).replace(/:\w+/g, 'unknown') as typeof route
        const statuses = await callAsEveryone(who => send(server(), line, who), team)
        expect(statuses.outsider, route).toBe(404)
        for (const role of ['member', 'admin', 'owner'] as const) {
          expect([401, 500], route).not.toContain(statuses[role])
          expect(statuses[role] === 403, `${role}: ${route}`).toBe(isTooLow(role, needed))
        }
      }
    })

    it('says which role is needed, and which one is held', async () => {
      const team = await makeTeam(server())
      const { json } = await send(server(), `GET /orgs/${team.org}/tokens`, team.member)
      expect(json.error).toMatchObject({
        code: 'forbidden',
        message: `This needs the role admin in the org '${team.org}'; yours is member.`,
      })
    })
  })

  describe('an org', () => {
    it('is created, with its creator as the owner, and shown', async () => {
      const ada = await server().account()
      const name = freshName()
      const created = await send(server(), 'POST /orgs', ada, { name, display_name: 'Acme & Söhne' })
      expect(created.status).toBe(201)
      const org = {
        id: expect.stringMatching(/^org_[a-z0-9]{16}$/),
        name,
        display_name: 'Acme & Söhne',
        icon_url: null,
        role: 'owner',
        created_at: expect.stringMatching(iso),
      }
      expect(created.json).toEqual(org)
      const listed = await send(server(), 'GET /orgs', ada)
      expect(listed.json).toEqual({ orgs: [org], next_cursor: null })
      const { json } = await send(server(), `GET /orgs/${name}`, ada)
      const members = [{ login: ada.login, role: 'owner', joined_at: expect.stringMatching(iso) }]
      expect(json).toEqual({ ...org, members, project_count: 0 })
    })

    it('is listed with the role of whoever asks, page by page', async () => {
      const ada = await server().account()
      const names = [freshName(), freshName(), freshName()]
      for (const name of names) {
        await send(server(), 'POST /orgs', ada, { name })
        server().clock.advance(1_000)
      }
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { json } = await send(server(), `GET /orgs?limit=2${cursor && `&cursor=${cursor}`}`, ada)
        seen.push(...json.orgs.map((org: { name: string }) => org.name))
        cursor = json.next_cursor
      }
      expect(seen).toEqual(names.toReversed())
      const team = await makeTeam(server())
      const { json } = await send(server(), 'GET /orgs', team.member)
      expect(json.orgs).toMatchObject([{ name: team.org, role: 'member' }])
    })

    it('counts its projects, and shows them to its members alone', async () => {
      const team = await makeTeam(server())
      const name = freshName()
      const created = await send(server(), 'POST /projects', team.member, { name, org: team.org })
      expect(created.json).toMatchObject({ name, org: team.org })
      expect((await send(server(), `GET /orgs/${team.org}`, team.member)).json.project_count).toBe(1)
      const listed = await send(server(), `GET /projects?org=${team.org}`, team.admin)
      expect(listed.json.projects).toMatchObject([{ name, org: team.org }])
      expect((await send(server(), 'GET /projects', team.member)).json.projects).toEqual([])
      for (const line of [`GET /projects?org=${team.org}`, `GET /projects/${name}`] as const)
        expect(refusal(await send(server(), line, team.outsider))).toBe('404 not_found')
      const intruder = await send(server(), 'POST /projects', team.outsider, {
        name: freshName(),
        org: team.org,
      })
      expect(refusal(intruder)).toBe('404 not_found')
    })

    it('changes its display name, and loses it again', async () => {
      const team = await makeTeam(server())
      const line = `PATCH /orgs/${team.org}` as const
      const named = await send(server(), line, team.admin, { display_name: 'Acme' })
      expect(named.json).toMatchObject({ name: team.org, display_name: 'Acme', role: 'admin' })
      const unnamed = await send(server(), line, team.admin, { display_name: null })
      expect(unnamed.json.display_name).toBe(null)
      expect(refusal(await send(server(), line, team.admin, {}))).toBe('400 invalid_request')
      const long = { display_name: 'x'.repeat(101) }
      expect(refusal(await send(server(), line, team.admin, long))).toBe('400 invalid_request')
    })

    it.each([
      ['AB', '400 invalid_name'],
      ['ab', '400 invalid_name'],
      ['a'.repeat(41), '400 invalid_name'],
      ['-acme', '400 invalid_name'],
      ['ac--me', '400 invalid_name'],
      ['ac me', '400 invalid_name'],
      ['api', '400 reserved_name'],
      ['tmp-acme', '400 reserved_name'],
    ])('is not called %s', async (name, expected) => {
      const ada = await server().account()
      expect(refusal(await send(server(), 'POST /orgs', ada, { name }))).toBe(expected)
    })

    it('is deleted when it is empty, with its tokens, and its name is free again', async () => {
      const team = await makeTeam(server())
      const name = freshName()
      await send(server(), 'POST /projects', team.owner, { name, org: team.org })
      const { json: made } = await send(server(), `POST /orgs/${team.org}/tokens`, team.owner, {
        kind: 'deploy',
      })
      const line = `DELETE /orgs/${team.org}` as const
      expect(refusal(await send(server(), line, team.owner))).toBe('409 org_not_empty')
      const { db } = server().running.platform.store
      await db.deleteFrom('projects').where('name', '=', name).execute()
      expect((await send(server(), line, team.owner)).json).toEqual({ ok: true })
      expect(refusal(await send(server(), line, team.owner))).toBe('404 not_found')
      expect(refusal(await send(server(), 'GET /me', made))).toBe('401 unauthorized')
      const again = await send(server(), 'POST /orgs', team.outsider, { name: team.org })
      expect(again.status).toBe(201)
    })

    it('no org gets the name of an account, and no account that of an org', async () => {
      const [ada, bob] = await Promise.all([server().account(), server().account()])
      for (const who of [ada, bob])
        expect(refusal(await send(server(), 'POST /orgs', who, { name: ada.login }))).toBe('409 name_taken')
      const name = freshName()
      expect((await send(server(), 'POST /orgs', ada, { name })).status).toBe(201)
      await expect(server().account(name)).rejects.toMatchObject({ code: 'name_taken' })
    })
  })

  describe('at the same moment', () => {
    it('one of two orgs gets a name that both want', async () => {
      const people = await Promise.all([server().account(), server().account(), server().account()])
      const name = freshName()
      const answers = await Promise.all(people.map(who => send(server(), 'POST /orgs', who, { name })))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
      const lost = answers.filter(({ status }) => status === 409)
      expect(lost.map(refusal)).toEqual(['409 name_taken', '409 name_taken'])
    })

    it('an org or an account gets a name that both want at the same time, but never both', async () => {
      const ada = await server().account()
      for (let i = 0; i < 3; i++) {
        const name = freshName()
        const outcomes = await Promise.allSettled([
          send(server(), 'POST /orgs', ada, { name }).then(refusal),
          server().account(name),
        ])
        const [org, account] = outcomes.map(outcome => (outcome.status === 'fulfilled' ? outcome.value : ''))
        expect(org).toBe(account ? '409 name_taken' : '201 undefined')
      }
    })

    it('one of two projects gets a name that both want', async () => {
      const team = await makeTeam(server())
      const name = freshName()
      const answers = await Promise.all([
        send(server(), 'POST /projects', team.owner, { name, org: team.org }),
        send(server(), 'POST /projects', team.member, { name, org: team.org }),
        send(server(), 'POST /projects', team.member, { name }),
        send(server(), 'POST /projects', team.outsider, { name }),
      ])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
    })

    it('an account gets as many orgs as its plan allows, and no more', async () => {
      const ada = await server().account()
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => send(server(), 'POST /orgs', ada, { name: freshName() })),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 402])
      expect(refusal(answers.find(({ status }) => status === 402)!)).toBe('402 quota_exceeded')
      expect((await send(server(), 'GET /orgs', ada)).json.orgs).toHaveLength(3)
    })

    it('an org is deleted, or gets a project, but never both', async () => {
      const team = await makeTeam(server())
      const [removed, created] = await Promise.all([
        send(server(), `DELETE /orgs/${team.org}`, team.owner),
        send(server(), 'POST /projects', team.member, { name: freshName(), org: team.org }),
      ])
      expect([removed.status, created.status]).toBeOneOf([
        [200, 404],
        [409, 201],
      ])
    })
  })
})

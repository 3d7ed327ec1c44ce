import { describe, expect, it } from 'vitest'
import { changeUser } from '../core/admin/user-changes.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { bringIn, inviteSecret, makeTeam, type Person, rolesIn, type Team } from '../testing/team.ts'

onEveryServer(server => {
  const setRole = (team: Team, who: Person, target: Person, role: string) =>
    send(server(), `PUT /orgs/${team.org}/members/${target.login}`, who, { role })
  const remove = (team: Team, who: Person, target: Person) =>
    send(server(), `DELETE /orgs/${team.org}/members/${target.login}`, who)

  /** A team with a second owner. */
  async function withTwoOwners(): Promise<Team & { second: Person }> {
    const team = await makeTeam(server())
    const second = await server().account()
    await bringIn(server(), team, second, 'owner')
    return { ...team, second }
  }

  describe('roles', () => {
    it('are changed by owners', async () => {
      const team = await makeTeam(server())
      const answer = await setRole(team, team.owner, team.member, 'admin')
      expect(answer.json).toEqual({ login: team.member.login, role: 'admin', joined_at: expect.any(String) })
      await setRole(team, team.owner, team.admin, 'owner')
      expect(await rolesIn(server(), team)).toEqual({
        [team.owner.login]: 'owner',
        [team.admin.login]: 'owner',
        [team.member.login]: 'admin',
      })
    })

    it('count at once', async () => {
      const team = await makeTeam(server())
      const invites = `GET /orgs/${team.org}/invites` as const
      expect((await send(server(), invites, team.admin)).status).toBe(200)
      await setRole(team, team.owner, team.admin, 'member')
      expect(refusal(await send(server(), invites, team.admin))).toBe('403 forbidden')
    })

    it('are only those that there are, and only for members', async () => {
      const team = await makeTeam(server())
      expect(refusal(await setRole(team, team.owner, team.member, 'king'))).toBe('400 invalid_request')
      expect(refusal(await setRole(team, team.owner, team.outsider, 'admin'))).toBe('404 not_found')
    })

    it('find a login however it is capitalised', async () => {
      const team = await makeTeam(server())
      const shouted = { ...team.member, login: team.member.login.toUpperCase() }
      expect((await setRole(team, team.owner, shouted, 'admin')).json.login).toBe(team.member.login)
    })

    it('leave at least one owner', async () => {
      const team = await makeTeam(server())
      for (const role of ['member', 'admin'])
        expect(refusal(await setRole(team, team.owner, team.owner, role))).toBe('409 last_owner')
      expect((await setRole(team, team.owner, team.owner, 'owner')).status).toBe(200)
      await setRole(team, team.owner, team.admin, 'owner')
      expect((await setRole(team, team.owner, team.owner, 'member')).status).toBe(200)
    })

    it('leave at least one owner whose account is not disabled', async () => {
      const team = await withTwoOwners()
      await changeUser(server().running.platform, team.second.login, { disabled: true }, { ip: '' })
      expect(refusal(await setRole(team, team.owner, team.owner, 'admin'))).toBe('409 last_owner')
      expect(refusal(await remove(team, team.owner, team.owner))).toBe('409 last_owner')
      expect((await remove(team, team.owner, team.second)).status).toBe(200)
    })
  })

  describe('members', () => {
    it('are removed by admins, and see nothing of the org from then on', async () => {
      const team = await makeTeam(server())
      expect((await remove(team, team.admin, team.member)).json).toEqual({ ok: true })
      expect(refusal(await send(server(), `GET /orgs/${team.org}`, team.member))).toBe('404 not_found')
      expect(refusal(await remove(team, team.admin, team.member))).toBe('404 not_found')
      expect((await send(server(), 'GET /orgs', team.member)).json.orgs).toEqual([])
    })

    it('are not removed by members', async () => {
      const team = await makeTeam(server())
      for (const target of [team.admin, team.owner])
        expect(refusal(await remove(team, team.member, target))).toBe('403 forbidden')
    })

    it('who are owners are removed by owners alone', async () => {
      const team = await withTwoOwners()
      expect(refusal(await remove(team, team.admin, team.second))).toBe('403 forbidden')
      expect((await remove(team, team.owner, team.second)).status).toBe(200)
    })

    it('leave by themselves, unless they are the last owner', async () => {
      const team = await withTwoOwners()
      for (const who of [team.member, team.admin, team.second])
        expect((await remove(team, who, who)).json).toEqual({ ok: true })
      expect(refusal(await remove(team, team.owner, team.owner))).toBe('409 last_owner')
      expect(await rolesIn(server(), team)).toEqual({ [team.owner.login]: 'owner' })
    })

    it('take with them the invites that they sent, so that no back door stays', async () => {
      const team = await makeTeam(server())
      const stale = await inviteSecret(server(), { ...team, owner: team.admin }, 'admin')
      await remove(team, team.owner, team.admin)
      expect(refusal(await send(server(), `POST /invites/${stale}/accept`, team.admin))).toBe('404 not_found')
      expect((await send(server(), `GET /orgs/${team.org}/invites`, team.owner)).json.invites).toEqual([])
    })

    it('who may invite no longer lose the invites that they sent', async () => {
      const team = await makeTeam(server())
      const stale = await inviteSecret(server(), { ...team, owner: team.admin }, 'admin')
      await setRole(team, team.owner, team.admin, 'member')
      expect(refusal(await send(server(), `GET /invites/${stale}`, team.outsider))).toBe('404 not_found')
    })
  })

  describe('at the same moment', () => {
    it('two owners who demote each other leave one', async () => {
      for (let round = 0; round < 5; round++) {
        const team = await withTwoOwners()
        const answers = await Promise.all([
          setRole(team, team.owner, team.second, 'member'),
          setRole(team, team.second, team.owner, 'member'),
        ])
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
        const roles = await rolesIn(server(), team)
        expect([roles[team.owner.login], roles[team.second.login]].toSorted()).toEqual(['member', 'owner'])
      }
    })

    it('two owners who remove each other leave one', async () => {
      const team = await withTwoOwners()
      const answers = await Promise.all([
        remove(team, team.owner, team.second),
        remove(team, team.second, team.owner),
      ])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
    })

    it('two owners who leave, or step down, leave one', async () => {
      const team = await withTwoOwners()
      const answers = await Promise.all([
        remove(team, team.owner, team.owner),
        setRole(team, team.second, team.second, 'admin'),
      ])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
      const roles = await rolesIn(server(), team, team.admin)
      expect(Object.values(roles).filter(role => role === 'owner')).toHaveLength(1)
    })
  })
})

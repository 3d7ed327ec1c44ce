import { expect, it } from 'vitest'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam, type Person, type Team } from '../testing/team.ts'

onEveryServer(server => {
  const usable = async (who: Person) => (await send(server(), 'GET /github', who)).json
  const idOf = async (who: Person): Promise<number> =>
    (await usable(who)).installations.find((row: { mine: boolean }) => row.mine).id
  const share = (team: Team, who: Person, installation_id: unknown) =>
    send(server(), `POST /orgs/${team.org}/installations`, who, { installation_id })
  const unshare = (team: Team, who: Person, id: unknown) =>
    send(server(), `DELETE /orgs/${team.org}/installations/${id}`, who)
  const sharedWith = async (team: Team, who: Person = team.member) =>
    (await send(server(), `GET /orgs/${team.org}/installations`, who)).json.installations

  it('installations are one per account at the built-in forge, and nobody needs to install anything', async () => {
    const ada = await server().account()
    expect(await usable(ada)).toEqual({
      installations: [{ id: expect.any(Number), account: ada.login, mine: true, org: null, shared_by: null }],
      install_url: null,
    })
  })

  it('installations are shared by any member, and every member can use them then', async () => {
    const team = await makeTeam(server())
    const id = await idOf(team.member)
    const shared = { id, account: team.member.login, org: team.org, shared_by: team.member.login }
    const answer = await share(team, team.member, id)
    expect([answer.status, answer.json]).toEqual([200, { ...shared, mine: true }])
    expect(await sharedWith(team, team.owner)).toEqual([{ ...shared, mine: false }])
    expect((await usable(team.owner)).installations).toEqual([
      { id: expect.any(Number), account: team.owner.login, mine: true, org: null, shared_by: null },
      { ...shared, mine: false },
    ])
    expect((await usable(team.member)).installations).toEqual([{ ...shared, mine: true }])
    expect((await usable(team.outsider)).installations).toHaveLength(1)
  })

  it('installations are shared with one org at a time, and sharing twice changes nothing', async () => {
    const team = await makeTeam(server())
    const other: Team = { ...(await makeTeam(server())), member: team.owner }
    const { json } = await send(server(), `POST /orgs/${other.org}/invites`, other.owner, {
      email: 'x@example.com',
    })
    await send(server(), `POST /invites/${json.invite_url.split('/').at(-1)}/accept`, team.owner)
    const id = await idOf(team.owner)
    expect((await share(team, team.owner, id)).status).toBe(200)
    expect((await share(team, team.owner, id)).status).toBe(200)
    expect(refusal(await share(other, team.owner, id))).toBe('409 shared_elsewhere')
    expect(await sharedWith(other)).toEqual([])
    expect((await unshare(team, team.owner, id)).json).toEqual({ ok: true })
    expect((await share(other, team.owner, id)).status).toBe(200)
  })

  it('installations are only shared by their owner', async () => {
    const team = await makeTeam(server())
    for (const id of [await idOf(team.owner), 999_999_999, 0, -1])
      expect(refusal(await share(team, team.member, id))).toBe('404 not_found')
    for (const id of ['1', 1.5, undefined])
      expect(refusal(await share(team, team.member, id))).toBe('400 invalid_request')
  })

  it('installations are unshared by the member who shared them, or by an admin', async () => {
    const team = await makeTeam(server())
    const [ofMember, ofAdmin] = [await idOf(team.member), await idOf(team.admin)]
    await share(team, team.member, ofMember)
    await share(team, team.admin, ofAdmin)
    expect(refusal(await unshare(team, team.member, ofAdmin))).toBe('403 forbidden')
    expect((await unshare(team, team.member, ofMember)).json).toEqual({ ok: true })
    expect(refusal(await unshare(team, team.member, ofMember))).toBe('404 not_found')
    await share(team, team.member, ofMember)
    expect((await unshare(team, team.admin, ofMember)).json).toEqual({ ok: true })
    expect((await unshare(team, team.owner, ofAdmin)).json).toEqual({ ok: true })
    expect(refusal(await unshare(team, team.owner, 'nonsense'))).toBe('404 not_found')
  })

  it('installations leave the org with the member who shared them', async () => {
    const team = await makeTeam(server())
    await share(team, team.member, await idOf(team.member))
    await send(server(), `DELETE /orgs/${team.org}/members/${team.member.login}`, team.member)
    expect(await sharedWith(team, team.owner)).toEqual([])
  })

  it('an installation that is shared with two orgs at the same time goes to one of them', async () => {
    const ada = await server().account()
    const teams = [freshName(), freshName()].map(org => ({ org }) as Team)
    for (const { org } of teams) await send(server(), 'POST /orgs', ada, { name: org })
    const id = await idOf(ada)
    const answers = await Promise.all(teams.map(team => share(team, ada, id)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })
})

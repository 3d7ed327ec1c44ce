import { describe, expect, it } from 'vitest'
import { sweep } from '../core/platform/sweep.ts'
import { sha256 } from '../lib/ids.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, inviteSecret, makeTeam, type Person, rolesIn, secretOf } from '../testing/team.ts'

const day = 86_400_000

onEveryServer(server => {
  const accept = (secret: string, who: Person) => send(server(), `POST /invites/${secret}/accept`, who)

  it('invites are made with a link that is shown once and stored as a hash', async () => {
    const team = await makeTeam(server())
    const { status, json } = await send(server(), `POST /orgs/${team.org}/invites`, team.admin, {
      email: 'carol@example.com',
      role: 'admin',
    })
    expect(status).toBe(201)
    const invite = {
      id: expect.stringMatching(/^inv_[a-z0-9]{16}$/),
      org: team.org,
      email: 'carol@example.com',
      role: 'admin',
      sender: team.admin.login,
      created_at: expect.any(String),
      expires_at: expect.any(String),
    }
    const dashboard = server().running.urls.dashboard
    const invite_url = expect.stringMatching(new RegExp(`^${dashboard}/invites/[A-Za-z0-9_-]{43}$`))
    expect(json).toEqual({ ...invite, invite_url, email_sent: false })
    expect(Date.parse(json.expires_at) - Date.parse(json.created_at)).toBe(14 * day)

    const listed = await send(server(), `GET /orgs/${team.org}/invites`, team.admin)
    expect(listed.json).toEqual({ invites: [invite] })
    const { db } = server().running.platform.store
    const rows = await db.selectFrom('invites').selectAll().where('id', '=', json.id).execute()
    expect(rows[0]?.token_hash).toBe(sha256(secretOf(json.invite_url)))
    expect(JSON.stringify(rows)).not.toContain(secretOf(json.invite_url))
  })

  it('invites give the role member by default', async () => {
    const team = await makeTeam(server())
    const invite = (body: object) => send(server(), `POST /orgs/${team.org}/invites`, team.owner, body)
    expect((await invite({ email: 'carol@example.com' })).json.role).toBe('member')
    for (const body of [
      {},
      { email: 'not an address' },
      { email: 'a@example.com\nBcc: b@example.com' },
      { email: 'carol@example.com', role: 'owner' },
    ])
      expect(refusal(await invite(body))).toBe('400 invalid_request')
  })

  it('invites name their org to a signed-in account, and make it a member once', async () => {
    const team = await makeTeam(server())
    const secret = await inviteSecret(server(), team, 'admin')
    expect(refusal(await send(server(), `GET /invites/${secret}`))).toBe('401 unauthorized')
    const preview = await send(server(), `GET /invites/${secret}`, team.outsider)
    expect((await send(server(), `GET /auth/invites/${secret}`)).json).toEqual(preview.json)
    expect(preview.json).toEqual({ org: team.org, role: 'admin', sender: team.owner.login })
    const joined = await accept(secret, team.outsider)
    expect([joined.status, joined.json.name, joined.json.role]).toEqual([200, team.org, 'admin'])
    expect(await rolesIn(server(), team)).toMatchObject({ [team.outsider.login]: 'admin' })
    expect(refusal(await accept(secret, await server().account()))).toBe('404 not_found')
    expect(refusal(await send(server(), `GET /invites/${secret}`, team.outsider))).toBe('404 not_found')
    expect(refusal(await send(server(), `GET /auth/invites/${secret}`))).toBe('404 not_found')
    expect((await send(server(), `GET /orgs/${team.org}/invites`, team.owner)).json.invites).toEqual([])
  })

  it('invites stay valid when a member of the org opens them', async () => {
    const team = await makeTeam(server())
    const secret = await inviteSecret(server(), team, 'admin')
    expect(refusal(await accept(secret, team.member))).toBe('409 already_member')
    expect(await rolesIn(server(), team)).toMatchObject({ [team.member.login]: 'member' })
    expect((await accept(secret, team.outsider)).status).toBe(200)
  })

  it('invites are revoked once, by their org alone', async () => {
    const [team, other] = [await makeTeam(server()), await makeTeam(server())]
    const secret = await inviteSecret(server(), team)
    const { json } = await send(server(), `GET /orgs/${team.org}/invites`, team.owner)
    const id = json.invites[0].id
    const revoke = (org: string, who: Person) => send(server(), `DELETE /orgs/${org}/invites/${id}`, who)
    expect(refusal(await revoke(other.org, other.owner))).toBe('404 not_found')
    expect((await revoke(team.org, team.admin)).json).toEqual({ ok: true })
    expect(refusal(await revoke(team.org, team.admin))).toBe('404 not_found')
    expect(refusal(await accept(secret, team.outsider))).toBe('404 not_found')
  })

  it('invites are sent again with a new link and all their days, which ends the earlier link', async () => {
    const [team, other] = [await makeTeam(server()), await makeTeam(server())]
    const secret = await inviteSecret(server(), team)
    const { json } = await send(server(), `GET /orgs/${team.org}/invites`, team.owner)
    const { id, email } = json.invites[0]
    const resend = (org: string, who: Person) => send(server(), `POST /orgs/${org}/invites/${id}/resend`, who)
    expect(refusal(await resend(other.org, other.owner))).toBe('404 not_found')
    expect(refusal(await resend(team.org, team.member))).toBe('403 forbidden')
    server().clock.advance(13 * day)
    const again = await resend(team.org, team.admin)
    expect(again.json).toMatchObject({ id, email, sender: team.admin.login, email_sent: false })
    expect(refusal(await accept(secret, team.outsider))).toBe('404 not_found')
    server().clock.advance(13 * day)
    expect((await accept(secretOf(again.json.invite_url), team.outsider)).status).toBe(200)
    expect(refusal(await resend(team.org, team.admin))).toBe('404 not_found')
  })

  it('invites expire after 14 days', async () => {
    const team = await makeTeam(server())
    const [first, second] = [await inviteSecret(server(), team), await inviteSecret(server(), team)]
    server().clock.advance(14 * day - 60_000)
    expect((await accept(first, team.outsider)).status).toBe(200)
    server().clock.advance(61_000)
    expect(refusal(await accept(second, await server().account()))).toBe('404 not_found')
    expect((await send(server(), `GET /orgs/${team.org}/invites`, team.owner)).json.invites).toEqual([])
  })

  it('invites that have expired are removed', async () => {
    const team = await makeTeam(server())
    await inviteSecret(server(), team)
    const { platform } = server().running
    const left = () =>
      platform.store.db.selectFrom('invites').selectAll().where('sender_id', '=', team.owner.id).execute()
    await sweep(platform)
    expect(await left()).not.toEqual([])
    server().clock.advance(15 * day)
    await sweep(platform)
    expect(await left()).toEqual([])
  })

  it('invites that nobody sent are not found', async () => {
    const ada = await server().account()
    for (const secret of ['x', 'a'.repeat(43), '%00', `${'a'.repeat(42)}'`])
      expect(refusal(await accept(secret, ada))).toBe('404 not_found')
  })

  it('invites are deleted with their org', async () => {
    const team = await makeTeam(server())
    const secret = await inviteSecret(server(), team)
    await send(server(), `DELETE /orgs/${team.org}`, team.owner)
    expect(refusal(await accept(secret, team.outsider))).toBe('404 not_found')
  })

  describe('signing up with one', () => {
    const signUp = (login: string, invite_token?: string) =>
      send(server(), 'POST /auth/signup', undefined, { login, password: 'a long password', invite_token })

    it('makes the account and joins the org', async () => {
      const team = await makeTeam(server())
      const secret = await inviteSecret(server(), team, 'admin')
      const login = freshName()
      const { status, json } = await signUp(login, secret)
      expect(status).toBe(201)
      expect(await rolesIn(server(), team)).toMatchObject({ [login]: 'admin' })
      expect((await send(server(), 'GET /orgs', json)).json.orgs).toMatchObject([{ name: team.org }])
      expect(refusal(await signUp(freshName(), secret))).toBe('404 not_found')
    })

    it('makes no account when the invite is not good, and uses none up when the login is taken', async () => {
      const team = await makeTeam(server())
      const login = freshName()
      expect(refusal(await signUp(login))).toBe('403 forbidden')
      expect(refusal(await signUp(login, 'a'.repeat(43)))).toBe('404 not_found')
      const secret = await inviteSecret(server(), team)
      expect(refusal(await signUp(team.owner.login, secret))).toBe('409 name_taken')
      expect((await signUp(login, secret)).status).toBe(201)
    })
  })

  describe('at the same moment', () => {
    it('bring in one of several people', async () => {
      for (let round = 0; round < 3; round++) {
        const team = await makeTeam(server())
        const secret = await inviteSecret(server(), team)
        const people = [team.outsider, await server().account(), await server().account()]
        const answers = await Promise.all(people.map(who => accept(secret, who)))
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
        expect(Object.keys(await rolesIn(server(), team))).toHaveLength(4)
      }
    })

    it('bring in one person once', async () => {
      const team = await makeTeam(server())
      const secret = await inviteSecret(server(), team)
      const answers = await Promise.all([1, 2, 3].map(() => accept(secret, team.outsider)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const answer of answers) expect([200, 404, 409]).toContain(answer.status)
      expect(Object.keys(await rolesIn(server(), team))).toHaveLength(4)
    })

    it('are accepted or revoked, never both', async () => {
      const team = await makeTeam(server())
      const secret = await inviteSecret(server(), team)
      const { json } = await send(server(), `GET /orgs/${team.org}/invites`, team.owner)
      const [accepted, revoked] = await Promise.all([
        accept(secret, team.outsider),
        send(server(), `DELETE /orgs/${team.org}/invites/${json.invites[0].id}`, team.owner),
      ])
      expect([accepted.status, revoked.status].toSorted()).toEqual([200, 404])
    })
  })
})

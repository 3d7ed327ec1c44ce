// Invitations to create an account, which platform admins send.
import { dayMs } from '@svc/contract/durations'
import { expect, it } from 'vitest'
import { platformAdmin } from '../testing/admins.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, secretOf } from '../testing/team.ts'

const password = 'a password of some length'

for (const signups of ['invite', 'closed'])
  onEveryServer(
    server => {
      const join = (invite_token: string, login = freshName()) =>
        send(server(), 'POST /auth/signup', undefined, { login, password, invite_token })

      async function invite(who: { token: string }, body: object = {}) {
        const { status, json } = await send(server(), 'POST /admin/invites', who, body)
        expect(status, JSON.stringify(json)).toBe(201)
        return { ...json, secret: secretOf(json.invite_url) }
      }

      it(`with SVCD_SIGNUPS=${signups} an invitation creates one account, once`, async () => {
        const admin = await platformAdmin(server())
        const { secret, id, ...made } = await invite(admin, { email: 'grace@example.org' })
        expect(made).toMatchObject({ email: 'grace@example.org', sender: admin.login, email_sent: false })
        expect((await send(server(), `GET /auth/account-invites/${secret}`)).json).toEqual({
          ...{ sender: admin.login, email: 'grace@example.org', expires_at: made.expires_at },
        })
        const joined = await join(secret)
        expect([joined.status, typeof joined.json.token]).toEqual([201, 'string'])
        expect((await send(server(), 'GET /me', joined.json)).json.platform_admin).toBe(false)
        expect((await join(secret)).status).not.toBe(201)
        expect(refusal(await send(server(), `GET /auth/account-invites/${secret}`))).toBe('404 not_found')
        const { invites } = (await send(server(), 'GET /admin/invites', admin)).json
        expect(invites.map((row: { id: string }) => row.id)).not.toContain(id)
      })

      it(`with SVCD_SIGNUPS=${signups} two sign-ups with one invitation make one account`, async () => {
        const { secret } = await invite(await platformAdmin(server()))
        const statuses = (await Promise.all([join(secret), join(secret)])).map(({ status }) => status)
        expect(statuses.filter(status => status === 201)).toHaveLength(1)
      })

      it(`with SVCD_SIGNUPS=${signups} a taken login does not use up the invitation`, async () => {
        const admin = await platformAdmin(server())
        const { secret } = await invite(admin)
        expect(refusal(await join(secret, admin.login))).toBe('409 name_taken')
        expect((await join(secret)).status).toBe(201)
      })
    },
    { SVCD_SIGNUPS: signups },
  )

onEveryServer(
  server => {
    const join = (invite_token: string) =>
      send(server(), 'POST /auth/signup', undefined, { login: freshName(), password, invite_token })
    const invite = async (who: { token: string }, body: object = {}) =>
      (await send(server(), 'POST /admin/invites', who, body)).json

    it('a revoked or expired invitation does not work, and is not listed', async () => {
      const admin = await platformAdmin(server())
      const revoked = await invite(admin)
      const expired = await invite(admin, { expires_in_days: 1 })
      expect((await send(server(), `DELETE /admin/invites/${revoked.id}`, admin)).status).toBe(200)
      expect(refusal(await send(server(), `DELETE /admin/invites/${revoked.id}`, admin))).toBe(
        '404 not_found',
      )
      server().clock.advance(dayMs + 1)
      for (const { invite_url } of [revoked, expired])
        expect(refusal(await join(secretOf(invite_url)))).toBe('403 forbidden')
      expect((await send(server(), 'GET /admin/invites', admin)).json.invites).toEqual([])
    })

    it('the invitations of an admin end when the account is disabled or stops being an admin', async () => {
      const admin = await platformAdmin(server())
      for (const change of [{ disabled: true }, { admin: false }]) {
        const other = await platformAdmin(server())
        const { invite_url } = await invite(other)
        await send(server(), `PATCH /admin/users/${other.login}`, admin, change)
        expect(refusal(await join(secretOf(invite_url)))).toBe('403 forbidden')
      }
    })

    it('the database holds no secret of an invitation, and the list does not show it', async () => {
      const admin = await platformAdmin(server())
      const secret = secretOf((await invite(admin)).invite_url)
      const rows = await server()
        .running.platform.store.db.selectFrom('account_invites')
        .selectAll()
        .execute()
      expect(JSON.stringify(rows)).not.toContain(secret)
      expect((await send(server(), 'GET /admin/invites', admin)).text).not.toContain(secret)
    })

    it('an invitation that is malformed is refused', async () => {
      const admin = await platformAdmin(server())
      for (const body of [{ email: 'nobody' }, { expires_in_days: 0 }, { expires_in_days: 1000 }])
        expect(refusal(await send(server(), 'POST /admin/invites', admin, body))).toBe('400 invalid_request')
    })
  },
  { SVCD_SIGNUPS: 'closed' },
)

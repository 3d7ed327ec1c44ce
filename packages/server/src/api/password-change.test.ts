import { expect, it } from 'vitest'
import { changePassword } from '../core/identity/password-change.ts'
import { onEveryServer } from '../testing/server.ts'

const old = 'the old password'
const fresh = 'the new password'

let addresses = 0
/** Rate limits count by network, so each test uses a new address. */
const newAddress = () => `203.0.113.${++addresses}`

onEveryServer(
  server => {
    const signIn = async (login: string, password = old) =>
      await server().request('/auth/signin', {
        method: 'POST',
        body: { login, password },
        headers: { 'x-forwarded-for': newAddress() },
      })
    const change = (token: string, body: object = {}) =>
      server().request('/me/password', {
        method: 'PUT',
        token,
        body: { current_password: old, new_password: fresh, ...body },
      })
    const statusOf = async (token: string) => (await server().request('/me', { token })).status

    /** Creates an account with a session here, a session elsewhere, and a `cli` token. */
    async function someone() {
      const { login, token: cli } = await server().account()
      await changePassword(server().running.platform, login, old)
      const [here, elsewhere] = [(await signIn(login)).json.token, (await signIn(login)).json.token]
      return { login, cli, here, elsewhere }
    }

    it('a password change ends the other sessions of the dashboard, and no other token', async () => {
      const { login, cli, here, elsewhere } = await someone()
      const { status, json } = await change(here)
      expect([status, json]).toEqual([
        200,
        { ok: true, sessions_ended: 1, tokens_revoked: 0, device_secret: expect.any(String) },
      ])
      expect([await statusOf(here), await statusOf(elsewhere), await statusOf(cli)]).toEqual([200, 401, 200])
      expect([(await signIn(login)).status, (await signIn(login, fresh)).status]).toEqual([401, 200])
    })

    it('a password change revokes all other tokens on request, those of approved device logins included', async () => {
      const { cli, here } = await someone()
      const headers = { 'x-forwarded-for': newAddress() }
      const device = (await server().request('/auth/device', { method: 'POST', headers })).json
      const { user_code, device_code } = device
      await server().request('/auth/device/approve', { method: 'POST', token: here, body: { user_code } })
      const { json } = await change(here, { revoke_tokens: true })
      expect(json).toMatchObject({ sessions_ended: 1, tokens_revoked: 1 })
      expect([await statusOf(here), await statusOf(cli)]).toEqual([200, 401])
      const poll = { method: 'POST', body: { device_code }, headers }
      expect((await server().request('/auth/device/poll', poll)).status).toBe(403)
    })

    it('a password change leaves the tokens of an org alone', async () => {
      const { here } = await someone()
      const org = `org-${(++addresses).toString(36)}-${server().clock.now().toString(36)}`
      await server().request('/orgs', { method: 'POST', token: here, body: { name: org } })
      const body = { kind: 'deploy' }
      const made = await server().request(`/orgs/${org}/tokens`, { method: 'POST', token: here, body })
      await change(here, { revoke_tokens: true })
      expect(await statusOf(made.json.token)).toBe(200)
    })

    it('a password change needs the current password, and a stolen token gets ten tries from all addresses together', async () => {
      const { cli } = await someone()
      const statuses = []
      for (let i = 0; i < 11; i++)
        statuses.push((await change(cli, { current_password: `guess ${i}` })).status)
      expect(statuses).toEqual([...Array(10).fill(403), 429])
      expect((await change(cli)).status).toBe(429)
    })

    it('of two changes at the same time, one succeeds', async () => {
      const { login, here, elsewhere } = await someone()
      const both = await Promise.all([
        change(here),
        change(elsewhere, { new_password: 'another new password' }),
      ])
      const good = both.filter(({ status }) => status === 200)
      expect(good).toHaveLength(1)
      const winner = both[0]?.status === 200 ? fresh : 'another new password'
      expect((await signIn(login, winner)).status).toBe(200)
    })

    it('a password change leaves no session of a sign-in with the old password that was under way', async () => {
      const { login, here } = await someone()
      const [changed, ...signedIn] = await Promise.all([
        change(here),
        signIn(login),
        signIn(login),
        signIn(login),
      ])
      expect(changed.status).toBe(200)
      for (const { status, json } of signedIn)
        expect(status === 200 ? await statusOf(json.token) : status).toBe(401)
    })

    it('a password change makes the device that made it a known one again', async () => {
      const { login, here } = await someone()
      const { device_secret } = (await change(here)).json
      for (let i = 0; i < 10; i++) await signIn(login, 'a wrong password')
      const body = { login, password: fresh, device_secret }
      const known = { method: 'POST', body, headers: { 'x-forwarded-for': newAddress() } }
      expect([
        (await signIn(login, fresh)).status,
        (await server().request('/auth/signin', known)).status,
      ]).toEqual([429, 200])
    })
  },
  { SVCD_TRUST_PROXY: '127.0.0.1' },
)

import { expect, it } from 'vitest'
import { changePassword } from '../core/identity/password-change.ts'
import { onGitHub, signIn, startLogin } from '../testing/github/platform.ts'
import { refusal, send } from '../testing/send.ts'
import { freshName, type Person } from '../testing/team.ts'

const password = 'correct horse battery'

onGitHub(on => {
  const poll = (device_code: string) =>
    send(on().server, 'POST /auth/device/poll', undefined, { device_code })
  const unlink = (who: { token: string }, body: object = { password }) =>
    send(on().server, 'POST /github/unlink', who, body)

  async function withPassword(): Promise<Person> {
    const account = await on().server.account()
    await changePassword(on().server.running.platform, account.login, password)
    return account
  }

  async function startLink(who: { token: string }, user: number): Promise<string> {
    const device = (await send(on().server, 'POST /github/link', who, { password })).json
    on().github.logins.decide(device.user_code, user)
    return device.device_code
  }

  async function signInToDashboard(user: number): Promise<{ token: string }> {
    const device = (await startLogin(on().server, { client: 'dashboard' })).json
    on().github.logins.decide(device.user_code, user)
    return (await poll(device.device_code)).json
  }

  it('a GitHub user that a thief of the password linked can be unlinked, and signs in to the account no more', async () => {
    const { server, github } = on()
    const account = await withPassword()
    const thief = github.addUser(freshName())
    expect((await poll(await startLink(account, thief))).json).toEqual({ token: '' })
    expect((await send(server, 'GET /me/security', account)).json).toMatchObject({
      ...{ github: true, github_login: github.users.get(thief) },
    })
    const session = await signInToDashboard(thief)
    expect((await send(server, 'GET /me', session)).json.id).toBe(account.id)
    const begun = await startLink(account, github.addUser(freshName()))

    expect((await unlink(account)).json).toEqual({ ok: true })

    expect((await send(server, 'GET /me', session)).status).toBe(401)
    expect(refusal(await poll(begun))).toBe('400 expired_token')
    expect((await signIn(on(), '', thief)).id).not.toBe(account.id)
    expect((await send(server, 'GET /me/security', account)).json).toMatchObject({
      ...{ github: false, github_login: null },
    })
    expect((await send(server, 'GET /me/audit', account)).json.entries[0]).toMatchObject({
      ...{ action: 'account.github-unlink', details: { user: github.users.get(thief) } },
    })
    expect(refusal(await unlink(account))).toBe('404 not_found')
  })

  it('unlinking needs the password or a passkey, so that no token alone and no account without another way in loses it', async () => {
    const { server } = on()
    const account = await withPassword()
    await poll(await startLink(account, on().github.addUser(freshName())))
    expect(refusal(await unlink(account, {}))).toBe('400 invalid_request')
    expect(refusal(await unlink(account, { password: 'a wrong password' }))).toBe('403 forbidden')
    const withoutPassword = await signIn(on())
    expect(refusal(await unlink(withoutPassword))).toBe('403 forbidden')
    for (const who of [account, withoutPassword])
      expect((await send(server, 'GET /me/security', who)).json.github).toBe(true)
  })

  it('of two accounts that link one GitHub user at the same time, one gets it, and the other is told why not', async () => {
    const { github } = on()
    for (let round = 0; round < 3; round++) {
      const user = github.addUser(freshName())
      const accounts = [await withPassword(), await withPassword()]
      const codes = await Promise.all(accounts.map(account => startLink(account, user)))
      const answers = await Promise.all(codes.map(poll))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })

  it('of two first logins of one GitHub user at the same time, both end in one account', async () => {
    const { server, github } = on()
    for (let round = 0; round < 3; round++) {
      const user = github.addUser(freshName())
      const devices = [(await startLogin(server)).json, (await startLogin(server)).json]
      for (const { user_code } of devices) github.logins.decide(user_code, user)
      const tokens = await Promise.all(devices.map(({ device_code }) => poll(device_code)))
      const me = await Promise.all(tokens.map(({ json }) => send(server, 'GET /me', json)))
      expect(me.map(({ status }) => status)).toEqual([200, 200])
      expect(new Set(me.map(({ json }) => json.id)).size).toBe(1)
    }
  })

  it('a session of the dashboard that began with GitHub ends with the sign-out and with a new password', async () => {
    const { server, github } = on()
    const user = github.addUser(freshName())
    const session = await signInToDashboard(user)
    const { gitforge_login: login } = (await send(server, 'GET /me', session)).json
    expect((await send(server, 'POST /auth/signout', session)).status).toBe(200)
    expect((await send(server, 'GET /me', session)).status).toBe(401)
    const other = await signInToDashboard(user)
    await changePassword(server.running.platform, login, password)
    expect((await send(server, 'GET /me', other)).status).toBe(401)
    // The command line keeps its token.
    const cli = await signIn(on(), '', user)
    expect((await send(server, 'POST /auth/signout', cli)).status).toBe(200)
    expect((await send(server, 'GET /me', cli)).status).toBe(200)
  })
})

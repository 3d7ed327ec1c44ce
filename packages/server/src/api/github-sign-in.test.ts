import { expect, it } from 'vitest'
import { changePassword } from '../core/identity/password-change.ts'
import { platformAdmin } from '../testing/admins.ts'
import { onGitHub, signIn, startLogin } from '../testing/github/platform.ts'
import { StandIn } from '../testing/github/stand-in.ts'
import { PasskeyDevice } from '../testing/passkey-device.ts'
import { refusal, send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'
import { freshName, inviteSecret, type Person, secretOf } from '../testing/team.ts'

const password = 'correct horse battery'

onGitHub(on => {
  const start = (body: object = {}) => startLogin(on().server, body)
  const poll = (device_code: string) =>
    send(on().server, 'POST /auth/device/poll', undefined, { device_code })

  it("the API passes on GitHub's own code, and creates an account after the approval at GitHub", async () => {
    const { github, server } = on()
    const device = (await start()).json
    expect(device).toMatchObject({
      verification_uri: `${github.url}/login/device`,
      interval: 0,
      expires_in: 900,
    })
    expect(refusal(await poll(device.device_code))).toBe('400 authorization_pending')
    const login = freshName()
    const id = github.addUser(login)
    github.logins.decide(device.user_code, id)
    const { json } = await poll(device.device_code)
    const me = (await send(server, 'GET /me', json)).json
    expect(me).toMatchObject({ gitforge_id: id, gitforge_login: login, token_kind: 'cli' })
    expect(refusal(await poll(device.device_code))).toBe('400 expired_token')
    // The next login finds the account by GitHub's id, even if the user was renamed.
    github.users.set(id, freshName())
    expect((await signIn(on(), '', id)).id).toBe(me.id)
  })

  it("the API neither shows nor approves nor denies a login by GitHub's own code", async () => {
    const { server, github } = on()
    const somebody = await server.account()
    const device = (await start()).json
    const body = { user_code: device.user_code }
    expect(refusal(await send(server, `GET /auth/device/${device.user_code}`, somebody))).toBe(
      '404 not_found',
    )
    for (const decision of ['approve', 'deny'])
      expect(refusal(await send(server, `POST /auth/device/${decision}`, somebody, body))).toBe(
        '404 not_found',
      )
    // The login still waits for GitHub, and ends with the account of the GitHub user.
    expect(refusal(await poll(device.device_code))).toBe('400 authorization_pending')
    const login = freshName()
    github.logins.decide(device.user_code, github.addUser(login))
    const { json } = await poll(device.device_code)
    expect((await send(server, 'GET /me', json)).json.gitforge_login).toBe(login)
  })

  it('the API says that a login was denied, has expired, or is polled too fast', async () => {
    const { github } = on()
    const denied = (await start()).json
    github.logins.decide(denied.user_code, 'deny')
    expect(refusal(await poll(denied.device_code))).toBe('403 access_denied')
    const late = (await start()).json
    github.logins.decide(late.user_code, 'expire')
    expect(refusal(await poll(late.device_code))).toBe('400 expired_token')
    github.logins.interval = 5
    const hasty = (await start()).json
    github.logins.interval = 0
    expect(hasty.interval).toBe(5)
    expect(refusal(await poll(hasty.device_code))).toBe('400 authorization_pending')
    const asked = github.requests.length
    expect(refusal(await poll(hasty.device_code))).toBe('429 slow_down')
    // Polls that come too fast are not passed on to GitHub.
    expect(github.requests.slice(asked).filter(line => line.includes('access_token'))).toEqual([])
    expect(refusal(await poll('x'.repeat(43)))).toBe('400 expired_token')
  })

  it('the API gives a GitHub user another login if theirs is taken', async () => {
    const { login } = await on().server.account()
    const person = await signIn(on(), login)
    expect(person.login).toBe(`${login}-github`)
  })

  it('the API answers 503 while GitHub is away, and goes on afterwards', async () => {
    const { github } = on()
    const device = (await start()).json
    github.outage = { status: 502 }
    expect(refusal(await start())).toBe('503 unavailable')
    expect(refusal(await poll(device.device_code))).toBe('503 unavailable')
    github.outage = undefined
    github.logins.decide(device.user_code, github.addUser(freshName()))
    expect((await poll(device.device_code)).json.token).toMatch(/^\w/)
  })

  it('the API links an account with a password to a GitHub user, who can be in one account only', async () => {
    const { server, github } = on()
    const withPassword = async () => {
      const account = await server.account()
      await changePassword(server.running.platform, account.login, password)
      return account
    }
    const ada = await withPassword()
    expect((await send(server, 'GET /github', ada)).json).toMatchObject({ linked: false, installations: [] })
    const link = async (who: { token: string }, user: number) => {
      const device = (await send(server, 'POST /github/link', who, { password })).json
      github.logins.decide(device.user_code, user)
      return await poll(device.device_code)
    }
    const user = github.addUser(freshName())
    expect((await link(ada, user)).json).toEqual({ token: '' })
    expect((await send(server, 'GET /github', ada)).json.linked).toBe(true)
    expect((await signIn(on(), '', user)).id).toBe(ada.id)
    expect((await send(server, 'GET /me/audit', ada)).json.entries[0]).toMatchObject({
      ...{ action: 'account.github-link', target: ada.login, details: { user: github.users.get(user) } },
    })
    expect(refusal(await link(await withPassword(), user))).toBe('409 name_taken')
  })

  it('linking a GitHub user needs the password or a passkey, because that user can sign in afterwards', async () => {
    const { server } = on()
    const account = await server.account()
    const link = (body?: object) => send(server, 'POST /github/link', account, body)
    expect(refusal(await link())).toBe('400 invalid_request')
    const without = await link({ password })
    expect(refusal(without)).toBe('403 forbidden')
    expect(without.json.error.message).toContain('Your account has no password')
    await changePassword(server.running.platform, account.login, password)
    expect(refusal(await link({ password: 'a wrong password' }))).toBe('403 forbidden')
    const device = new PasskeyDevice(server.running.urls.dashboard)
    const options = (await send(server, 'POST /me/passkeys/options', account, { password })).json
    await send(server, 'POST /me/passkeys', account, { name: 'Key', credential: device.create(options) })
    const challenge = (await send(server, 'POST /me/passkeys/challenge', account)).json
    const passkey = device.get(challenge)
    expect((await link({ passkey })).json.user_code).toMatch(/\w/)
    expect(refusal(await link({ passkey }))).toBe('403 forbidden')
  })

  const ends: Record<string, (account: Person) => Promise<unknown>> = {
    'after the owner changed the password': account =>
      send(on().server, 'PUT /me/password', account, {
        current_password: password,
        new_password: 'another long password',
      }),
    'after the operator set a password': account =>
      changePassword(on().server.running.platform, account.login, 'another long password'),
    'after the account was disabled and enabled again': async account => {
      const admin = await platformAdmin(on().server)
      for (const disabled of [true, false])
        await send(on().server, `PATCH /admin/users/${account.login}`, admin, { disabled })
    },
  }

  it.each(Object.keys(ends))(
    'a link to a GitHub user that was begun before cannot be finished %s',
    async when => {
      const { server, github } = on()
      const account = await server.account()
      await changePassword(server.running.platform, account.login, password)
      const device = (await send(server, 'POST /github/link', account, { password })).json
      expect(refusal(await poll(device.device_code))).toBe('400 authorization_pending')
      await ends[when]!(account)
      const user = github.addUser(freshName())
      github.logins.decide(device.user_code, user)
      expect(refusal(await poll(device.device_code))).toBe('400 expired_token')
      expect((await send(server, 'GET /github', account)).json.linked).toBe(false)
      expect((await signIn(on(), '', user)).id).not.toBe(account.id)
    },
  )

  it.each(['POST /login/device/code', 'GET /api/v3/user'])(
    'a link to a GitHub user fails if the password changes during %s',
    async moment => {
      const { server, github } = on()
      const account = await server.account()
      await changePassword(server.running.platform, account.login, password)
      github.beforeAnswer = async request => {
        if (request !== moment) return
        await changePassword(server.running.platform, account.login, 'another long password')
      }
      const started = await send(server, 'POST /github/link', account, { password })
      if (started.status === 200) {
        github.logins.decide(started.json.user_code, github.addUser(freshName()))
        expect(refusal(await poll(started.json.device_code))).toBe('400 expired_token')
      } else expect(refusal(started)).toBe('403 forbidden')
      github.beforeAnswer = undefined
      expect((await send(server, 'GET /github', account)).json.linked).toBe(false)
    },
  )

  it('a disabled account is not signed in by its GitHub user', async () => {
    const { server, github } = on()
    const user = github.addUser(freshName())
    const person = await signIn(on(), '', user)
    const admin = await platformAdmin(server)
    const disable = (disabled: boolean) =>
      send(server, `PATCH /admin/users/${person.login}`, admin, { disabled })
    expect((await disable(true)).status).toBe(200)
    const attempt = async () => {
      const device = (await start()).json
      github.logins.decide(device.user_code, user)
      return await poll(device.device_code)
    }
    const refused = await attempt()
    expect(refusal(refused)).toBe('403 forbidden')
    expect(refused.json.error.message).toContain('disabled')
    await disable(false)
    expect((await attempt()).json.token).toMatch(/^svc_/)
  })

  it('the API makes no account with a password, since accounts are GitHub users here', async () => {
    const answer = await send(on().server, 'POST /auth/signup', undefined, {
      login: freshName(),
      password: 'a long password',
    })
    expect(refusal(answer)).toBe('403 forbidden')
    expect((await on().server.request('/git/ada/site.git/info/refs?service=git-upload-pack')).status).toBe(
      404,
    )
  })

  it("the API refreshes a user's token that has expired", async () => {
    const { server, github } = on()
    github.logins.userTokenSeconds = 8 * 3600
    const person = await signIn(on())
    github.logins.userTokenSeconds = undefined
    const id = github.install(person.login, [])
    const ids = async () =>
      (await send(server, 'GET /github', person)).json.installations.map((row: { id: number }) => row.id)
    expect(await ids()).toEqual([id])
    server.clock.advance(9 * 3600_000)
    const before = github.requests.length
    expect(await ids()).toEqual([id])
    expect(github.requests.slice(before)).toContain('POST /login/oauth/access_token')
  })
})

it('with sign-ups by invite, the API takes the set-up token for the first account and an invite for others', async () => {
  const github = await StandIn.start()
  const server = await TestServer.start('sqlite', { ...github.settings, SVCD_SIGNUPS: 'invite' })
  try {
    const signUp = async (body: object) => {
      const device = (await send(server, 'POST /auth/device', undefined, body)).json
      github.logins.decide(device.user_code, github.addUser(freshName()))
      return await send(server, 'POST /auth/device/poll', undefined, { device_code: device.device_code })
    }
    const first = await signUp({})
    expect([refusal(first), first.json.error.message]).toEqual([
      '403 forbidden',
      expect.stringContaining('set-up link'),
    ])
    expect(refusal(await signUp({ setup_token: 'guess' }))).toBe('403 forbidden')
    const setup_token = server.running.platform.setupToken.reveal()
    const admin = (await signUp({ setup_token })).json
    expect((await send(server, 'GET /metrics', admin)).status).toBe(200)
    expect(refusal(await signUp({ setup_token }))).toBe('403 forbidden')
    expect(refusal(await signUp({}))).toBe('403 forbidden')
    const org = freshName()
    await send(server, 'POST /orgs', admin, { name: org })
    const owner = { ...admin, id: '', login: '' }
    const invite_token = await inviteSecret(server, { org, owner })
    const member = (await signUp({ invite_token })).json
    expect((await send(server, `GET /orgs/${org}`, member)).status).toBe(200)
    expect(refusal(await signUp({ invite_token }))).toBe('404 not_found')
    // An invitation by a platform admin makes an account, once, and a member of no org.
    const made = (await send(server, 'POST /admin/invites', admin, {})).json
    const invited = { invite_token: secretOf(made.invite_url) }
    const person = (await signUp(invited)).json
    expect((await send(server, 'GET /me', person)).status).toBe(200)
    expect((await send(server, 'GET /orgs', person)).json.orgs).toEqual([])
    expect((await send(server, 'GET /admin/invites', admin)).json.invites).toEqual([])
    expect((await signUp(invited)).status).toBe(404)
    expect(github.complaints).toEqual([])
  } finally {
    await server.remove()
    await github.remove()
  }
})

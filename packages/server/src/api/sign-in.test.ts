import { describe, expect, it } from 'vitest'
import { onEveryServer, type TestServer } from '../testing/server.ts'

const password = 'correct horse battery'
const post = (
  server: TestServer,
  path: string,
  body: unknown,
  options: { token?: string; ip?: string } = {},
) =>
  server.request(path, {
    method: 'POST',
    body,
    token: options.token,
    headers: options.ip ? { 'x-forwarded-for': options.ip } : {},
  })

let addresses = 0
/** Rate limits count by address, so each test uses a new address. */
const newAddress = () => `203.0.113.${++addresses}`

onEveryServer(
  server => {
    it('the API creates the first account with the set-up link only, once, and as an admin', async () => {
      const link = new URL(server().running.setupLink!)
      expect(link.origin).toBe(server().running.urls.dashboard)
      const setup_token = new URLSearchParams(link.hash.slice(1)).get('token')!
      const ip = newAddress()
      const body = { login: 'Ada', password, email: 'ada@example.com' }
      expect((await post(server(), '/auth/signup', body, { ip })).status).toBe(403)
      expect((await post(server(), '/auth/signup', { ...body, setup_token: 'wrong' }, { ip })).status).toBe(
        403,
      )
      const first = await Promise.all(
        ['ada', 'eve', 'mallory'].map(login =>
          post(server(), '/auth/signup', { ...body, login, setup_token }, { ip: newAddress() }),
        ),
      )
      expect(first.map(r => r.status).sort()).toEqual([201, 403, 403])
      expect(
        (await post(server(), '/auth/signup', { ...body, login: 'late', setup_token }, { ip })).status,
      ).toBe(403)
      const { token } = first.find(r => r.status === 201)!.json
      expect((await server().request('/me', { token })).json.email).toBe('ada@example.com')
      const { setup_needed } = (await server().request('/config.json', { host: 'app.localhost' })).json
      expect(setup_needed).toBe(false)
    })

    it('the API signs in with login and password, whatever the case of the login', async () => {
      const { changePassword } = await import('../core/identity/password-change.ts')
      const account = await server().account()
      await changePassword(server().running.platform, account.login, password)
      const login = account.login.toUpperCase()
      const { status, json } = await post(server(), '/auth/signin', { login, password }, { ip: newAddress() })
      expect(status).toBe(200)
      const { tokens } = (await server().request('/tokens', { token: json.token })).json
      expect(tokens[0]).toMatchObject({ kind: 'cli', label: 'Web console' })
    })

    it('a sign-out revokes the token if it is a session, and no other kind of token', async () => {
      const { changePassword } = await import('../core/identity/password-change.ts')
      const account = await server().account()
      await changePassword(server().running.platform, account.login, password)
      const session = await post(
        server(),
        '/auth/signin',
        { login: account.login, password },
        { ip: newAddress() },
      )
      for (const token of [session.json.token, account.token])
        expect((await post(server(), '/auth/signout', undefined, { token })).json).toEqual({ ok: true })
      expect((await server().request('/me', { token: session.json.token })).status).toBe(401)
      expect((await server().request('/me', { token: account.token })).status).toBe(200)
    })

    it('the API does not say whether the login or the password was wrong', async () => {
      const account = await server().account()
      const ip = newAddress()
      const answers = await Promise.all(
        [account.login, 'nobody'].map(login => post(server(), '/auth/signin', { login, password }, { ip })),
      )
      const said = answers.map(({ status, json }) => [status, json.error.code, json.error.message])
      expect(said[0]![0]).toBe(401)
      expect(said[1]).toEqual(said[0])
    })

    it('the API limits sign-ins per address and per login, and says so in every answer', async () => {
      const attempt = (login: string, ip: string) =>
        post(server(), '/auth/signin', { login, password }, { ip })
      const ip = newAddress()
      const answers = []
      for (let i = 0; i < 11; i++) answers.push(await attempt(`guess-${i}`, ip))
      expect(answers.map(a => a.status)).toEqual([...Array(10).fill(401), 429])
      expect(answers.map(a => a.headers['x-ratelimit-remaining'])).toEqual([
        '9',
        '8',
        '7',
        '6',
        '5',
        '4',
        '3',
        '2',
        '1',
        '0',
        '0',
      ])
      expect(answers[10]!.json.error.code).toBe('rate_limit_exceeded')
      expect(Number(answers[10]!.headers['retry-after'])).toBeGreaterThan(0)
      const victim = []
      for (let i = 0; i < 11; i++) victim.push((await attempt('victim', newAddress())).status)
      expect(victim).toEqual([...Array(10).fill(401), 429])
      server().clock.advance(600_001)
      expect((await attempt('victim', ip)).status).toBe(401)
    })

    it.each([
      ['a login with a slash', { login: 'a/b', password }],
      ['a login that is too long', { login: 'a'.repeat(40), password }],
      ['a short password', { login: 'bob', password: 'short' }],
      ['a long password', { login: 'bob', password: 'x'.repeat(129) }],
      ['a broken email', { login: 'bob', password, email: 'nope' }],
    ])('the API refuses to sign up with %s', async (_, body) => {
      const { status, json } = await post(server(), '/auth/signup', body, { ip: newAddress() })
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
    })

    describe('the device flow', () => {
      const start = async () => (await post(server(), '/auth/device', undefined, { ip: newAddress() })).json
      const poll = (device_code: string) =>
        post(server(), '/auth/device/poll', { device_code }, { ip: newAddress() })

      it('gives a token once, after approval', async () => {
        const { token, login } = await server().account()
        const device = await start()
        expect(device).toEqual({
          device_code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
          user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
          verification_uri: `${server().running.urls.dashboard}/device`,
          verification_uri_complete: `${server().running.urls.dashboard}/device?code=${device.user_code}`,
          expires_in: 900,
          interval: 5,
        })
        const pending = await poll(device.device_code)
        expect([pending.status, pending.json.error.code]).toEqual([400, 'authorization_pending'])
        const { json } = await server().request(`/auth/device/${device.user_code}`, { token })
        expect(json).toMatchObject({ user_code: device.user_code, ip: expect.stringContaining('203.0.113.') })
        const typed = device.user_code.toLowerCase().replace('-', ' ')
        expect((await post(server(), '/auth/device/approve', { user_code: typed }, { token })).json).toEqual({
          ok: true,
        })
        const answers = await Promise.all([poll(device.device_code), poll(device.device_code)])
        expect(answers.map(a => a.status).sort()).toEqual([200, 400])
        const won = answers.find(a => a.status === 200)!.json.token
        expect((await server().request('/me', { token: won })).json.gitforge_login).toBe(login)
        expect((await poll(device.device_code)).json.error.code).toBe('expired_token')
      })

      it('says slow_down to a client that polls too fast', async () => {
        const device = await start()
        await poll(device.device_code)
        const fast = await poll(device.device_code)
        expect([fast.status, fast.json.error.code]).toEqual([429, 'slow_down'])
        server().clock.advance(5_000)
        expect((await poll(device.device_code)).json.error.code).toBe('authorization_pending')
      })

      it('ends when it is denied, and cannot be approved after', async () => {
        const { token } = await server().account()
        const device = await start()
        const user_code = device.user_code
        expect((await post(server(), '/auth/device/deny', { user_code }, { token })).status).toBe(200)
        const denied = await poll(device.device_code)
        expect([denied.status, denied.json.error.code]).toEqual([403, 'access_denied'])
        expect((await post(server(), '/auth/device/approve', { user_code }, { token })).status).toBe(404)
      })

      it('expires after 15 minutes, approved or not', async () => {
        const { token } = await server().account()
        const device = await start()
        server().clock.advance(900_001)
        const late = await poll(device.device_code)
        expect([late.status, late.json.error.code]).toEqual([400, 'expired_token'])
        const { user_code } = device
        expect((await post(server(), '/auth/device/approve', { user_code }, { token })).status).toBe(404)
        expect((await server().request(`/auth/device/${user_code}`, { token })).status).toBe(404)
      })

      it('knows no codes that it did not give out', async () => {
        expect((await poll('x'.repeat(43))).json.error.code).toBe('expired_token')
      })

      it('limits how often it is started and polled, per address', async () => {
        const ip = newAddress()
        const starts = []
        for (let i = 0; i < 11; i++) starts.push(await post(server(), '/auth/device', undefined, { ip }))
        expect(starts.map(a => a.status)).toEqual([...Array(10).fill(200), 429])
        expect(starts[0]!.headers['x-ratelimit-limit']).toBe('10')
        const polled = await post(server(), '/auth/device/poll', { device_code: 'x' }, { ip })
        expect([polled.headers['x-ratelimit-limit'], polled.headers['x-ratelimit-remaining']]).toEqual([
          '180',
          '179',
        ])
      })
    })
  },
  { SVCD_TRUST_PROXY: '127.0.0.1' },
)

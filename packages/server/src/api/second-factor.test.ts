import { expect, it } from 'vitest'
import { changePassword } from '../core/identity/password-change.ts'
import { resetSecondFactor } from '../core/identity/second-factor.ts'
import { signInWithCode } from '../core/identity/sign-in.ts'
import { resealAll } from '../core/platform/keys.ts'
import { sweep } from '../core/platform/sweep.ts'
import { Keyring, SealKey } from '../lib/seal.ts'
import { AuthenticatorApp } from '../testing/authenticator.ts'
import { PasskeyDevice } from '../testing/passkey-device.ts'
import { refusal } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

const password = 'correct horse battery'
const minute = 60_000
const day = 24 * 60 * minute

let addresses = 0
/** Rate limits count by address, so each request uses a new one. */
const newAddress = () => `203.0.${113 + (addresses >> 8)}.${addresses++ & 255}`

onEveryServer(
  server => {
    const now = () => server().clock.now()
    const post = (path: string, body: unknown, token?: string, ip = newAddress()) =>
      server().request(path, { method: 'POST', body, token, headers: { 'x-forwarded-for': ip } })
    const signIn = (login: string, given = password) => post('/auth/signin', { login, password: given })
    const enterCode = (challenge: string, code: string, ip = newAddress()) =>
      post('/auth/signin/code', { challenge, code }, undefined, ip)
    const security = async (token: string) => (await server().request('/me/security', { token })).json
    const statusOf = async (token: string) => (await server().request('/me', { token })).status
    /** Goes to the begin of the next step. The codes used so far are old then, and no step ends during a request. */
    const nextStep = () => server().clock.advance(31_000 - (now() % 30_000))

    async function someone() {
      const account = await server().account()
      await changePassword(server().running.platform, account.login, password)
      return account
    }

    async function withApp() {
      const account = await someone()
      const { json } = await post('/me/totp', { password }, account.token)
      const app = new AuthenticatorApp(json.secret)
      const enabled = await post('/me/totp/enable', { code: app.code(now()) }, account.token)
      expect(enabled.status).toBe(200)
      nextStep()
      return { ...account, app, codes: enabled.json.recovery_codes as string[] }
    }
    const challengeOf = async (login: string): Promise<string> => (await signIn(login)).json.challenge

    it('a sign-in to an account with an authenticator app needs the password and then a code', async () => {
      const { login, app } = await withApp()
      const first = await signIn(login)
      expect([first.status, first.json]).toEqual([
        200,
        { challenge: expect.stringMatching(/^[\w-]{43}$/), expires_in: 300, passkey: false },
      ])
      expect(await statusOf(first.json.challenge)).toBe(401)
      const second = await enterCode(first.json.challenge, app.code(now()))
      expect([second.status, Object.keys(second.json).sort()]).toEqual([200, ['device_secret', 'token']])
      expect(await statusOf(second.json.token)).toBe(200)
    })

    it('the answer to a wrong password is the same with and without an authenticator app', async () => {
      const answers = await Promise.all(
        [(await withApp()).login, (await someone()).login, 'nobody'].map(login =>
          signIn(login, 'a wrong one'),
        ),
      )
      const said = answers.map(({ status, json }) => [status, { ...json.error, request_id: '' }])
      expect(said[1]).toEqual(said[0])
      expect(said[2]).toEqual(said[0])
    })

    it('nothing changes before the app has shown a right code', async () => {
      const { login, token } = await someone()
      const { json } = await post('/me/totp', { password }, token)
      expect(json.uri).toBe(
        `otpauth://totp/svc%20(localhost):${login}?secret=${json.secret}&issuer=svc%20(localhost)`,
      )
      const app = new AuthenticatorApp(json.secret)
      const wrong = await post('/me/totp/enable', { code: app.wrongCode(now()) }, token)
      expect(refusal(wrong)).toBe('403 forbidden')
      expect(await security(token)).toEqual({
        password: true,
        github: false,
        github_login: null,
        totp: null,
        recovery_codes_left: 0,
        passkeys: [],
        pending_email: null,
      })
      expect((await signIn(login)).json.token).toEqual(expect.any(String))
      server().clock.advance(16 * minute)
      expect(refusal(await post('/me/totp/enable', { code: app.code(now()) }, token))).toBe('403 forbidden')
    })

    it('a second set-up replaces one that was not finished, and none that was', async () => {
      const { token } = await someone()
      const first = new AuthenticatorApp((await post('/me/totp', { password }, token)).json.secret)
      const second = new AuthenticatorApp((await post('/me/totp', { password }, token)).json.secret)
      const enable = (app: AuthenticatorApp) => post('/me/totp/enable', { code: app.code(now()) }, token)
      expect(refusal(await enable(first))).toBe('403 forbidden')
      expect((await enable(second)).status).toBe(200)
      expect(refusal(await enable(second))).toBe('400 invalid_request')
      expect(refusal(await post('/me/totp', { password }, token))).toBe('400 invalid_request')
    })

    it('an app or a passkey that was begun with the old password cannot be finished with the new one', async () => {
      const { login, token } = await someone()
      const app = new AuthenticatorApp((await post('/me/totp', { password }, token)).json.secret)
      const device = new PasskeyDevice(server().running.urls.dashboard)
      const credential = device.create((await post('/me/passkeys/options', { password }, token)).json)
      await changePassword(server().running.platform, login, 'another long password')
      expect(await statusOf(token)).toBe(200)
      expect(refusal(await post('/me/totp/enable', { code: app.code(now()) }, token))).toBe('403 forbidden')
      expect(refusal(await post('/me/passkeys', { name: 'Phone', credential }, token))).toBe('403 forbidden')
      expect(await security(token)).toMatchObject({ totp: null, passkeys: [] })
    })

    it('a passkey that was begun before the operator reset the account cannot be added', async () => {
      const { login, token } = await withApp()
      const device = new PasskeyDevice(server().running.urls.dashboard)
      const credential = device.create((await post('/me/passkeys/options', { password }, token)).json)
      await resetSecondFactor(server().running.platform, login)
      expect(refusal(await post('/me/passkeys', { name: 'Phone', credential }, token))).toBe('403 forbidden')
    })

    it('turning the app on ends the other sessions of the dashboard, and no other token', async () => {
      const { login, token } = await someone()
      const [here, elsewhere] = [(await signIn(login)).json.token, (await signIn(login)).json.token]
      const app = new AuthenticatorApp((await post('/me/totp', { password }, here)).json.secret)
      await post('/me/totp/enable', { code: app.code(now()) }, here)
      expect([await statusOf(here), await statusOf(elsewhere), await statusOf(token)]).toEqual([
        200, 401, 200,
      ])
    })

    it('a code works once, also for two sign-ins at the same time', async () => {
      const { login, app } = await withApp()
      const challenges = [await challengeOf(login), await challengeOf(login), await challengeOf(login)]
      const code = app.code(now())
      const both = await Promise.all(challenges.slice(0, 2).map(challenge => enterCode(challenge, code)))
      expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
      expect(refusal(await enterCode(challenges[2]!, code))).toBe('401 unauthorized')
      const earlier = app.code(now(), -1)
      expect(refusal(await enterCode(challenges[2]!, earlier))).toBe('401 unauthorized')
      nextStep()
      expect((await enterCode(challenges[2]!, app.code(now()))).status).toBe(200)
    })

    it('the code that turned the app on signs nobody in', async () => {
      const { login, token } = await someone()
      const app = new AuthenticatorApp((await post('/me/totp', { password }, token)).json.secret)
      const code = app.code(now())
      await post('/me/totp/enable', { code }, token)
      expect(refusal(await enterCode(await challengeOf(login), code))).toBe('401 unauthorized')
    })

    it('codes of the steps before and after are right, written with spaces, and older ones are wrong', async () => {
      const { login, app } = await withApp()
      server().clock.advance(2 * minute)
      nextStep()
      expect((await enterCode(await challengeOf(login), app.code(now(), -2))).status).toBe(401)
      expect((await enterCode(await challengeOf(login), app.code(now(), 2))).status).toBe(401)
      expect((await enterCode(await challengeOf(login), app.code(now(), -1))).status).toBe(200)
      const spaced = app.code(now(), 1).replace(/^.../, ' $& ')
      expect((await enterCode(await challengeOf(login), spaced)).status).toBe(200)
    })

    it('a challenge works once, for five minutes, and not after the password changed', async () => {
      const { login, app } = await withApp()
      const used = await challengeOf(login)
      expect((await enterCode(used, app.code(now()))).status).toBe(200)
      nextStep()
      expect(refusal(await enterCode(used, app.code(now())))).toBe('401 unauthorized')
      const late = await challengeOf(login)
      server().clock.advance(5 * minute)
      expect(refusal(await enterCode(late, app.code(now())))).toBe('401 unauthorized')
      const old = await challengeOf(login)
      await changePassword(server().running.platform, login, 'another long password')
      expect(refusal(await enterCode(old, app.code(now())))).toBe('401 unauthorized')
      for (const made of ['', 'x'.repeat(43)])
        expect(refusal(await enterCode(made, app.code(now())))).toBe('401 unauthorized')
      await sweep(server().running.platform)
      const left = await server()
        .running.platform.store.db.selectFrom('sign_in_challenges')
        .selectAll()
        .where('expires_at', '<=', now())
        .execute()
      expect(left).toEqual([])
    })

    it('a challenge of one account takes no code of another', async () => {
      const [mine, theirs] = [await withApp(), await withApp()]
      const challenge = await challengeOf(theirs.login)
      expect((await enterCode(challenge, mine.app.code(now()))).status).toBe(401)
      expect((await enterCode(challenge, mine.codes[0]!)).status).toBe(401)
      expect((await enterCode(challenge, theirs.app.code(now()))).status).toBe(200)
    })

    it('each of ten recovery codes signs in once, in capital letters and without dashes, too', async () => {
      const { login, token, codes } = await withApp()
      expect(new Set(codes).size).toBe(10)
      for (const code of codes) expect(code).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
      const typed = codes[0]!.toUpperCase().replaceAll('-', ' ')
      const both = await Promise.all(
        [await challengeOf(login), await challengeOf(login)].map(challenge => enterCode(challenge, typed)),
      )
      expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
      expect((await enterCode(await challengeOf(login), codes[0]!)).status).toBe(401)
      expect((await enterCode(await challengeOf(login), codes[1]!)).status).toBe(200)
      expect((await security(token)).recovery_codes_left).toBe(8)
    })

    it('new recovery codes replace the old ones', async () => {
      const { login, token, codes } = await withApp()
      const { json } = await post('/me/recovery-codes', { password }, token)
      expect(json.recovery_codes).toHaveLength(10)
      const challenge = await challengeOf(login)
      expect((await enterCode(challenge, codes[0]!)).status).toBe(401)
      expect((await enterCode(challenge, json.recovery_codes[0])).status).toBe(200)
    })

    it('a guesser who knows the password gets 20 codes a day, from all addresses together', async () => {
      const { login, token, app, codes } = await withApp()
      const challenge = await challengeOf(login)
      const statuses = []
      for (let i = 0; i < 21; i++) statuses.push((await enterCode(challenge, app.wrongCode(now()))).status)
      expect(statuses).toEqual([...Array(20).fill(401), 429])
      const right = await enterCode(challenge, app.code(now()))
      expect([right.status, right.json.error.message]).toEqual([
        429,
        'Too many wrong codes. Sign in with a recovery code, or try again in 24 hours.',
      ])
      expect((await enterCode(challenge, codes[0]!)).status).toBe(200)
      const { entries } = (await server().request('/me/audit', { token })).json
      expect(entries.filter((entry: { action: string }) => entry.action === 'account.codes-blocked')).toEqual(
        [expect.objectContaining({ actor: null, target: login })],
      )
      server().clock.advance(day)
      expect((await enterCode(await challengeOf(login), app.code(now()))).status).toBe(200)
    })

    it('right codes do not count against the limit', async () => {
      const { login, app } = await withApp()
      const challenges = [await challengeOf(login), await challengeOf(login)]
      const tryWrong = async () => (await enterCode(challenges[0]!, app.wrongCode(now()))).status
      for (let i = 0; i < 19; i++) await tryWrong()
      expect((await enterCode(challenges[1]!, app.code(now()))).status).toBe(200)
      expect([await tryWrong(), await tryWrong()]).toEqual([401, 429])
    })

    it('one address gets 30 wrong codes in ten minutes, for all accounts', async () => {
      const ip = newAddress()
      const statuses = []
      for (let i = 0; i < 31; i++) statuses.push((await enterCode(`guess-${i}`, '123456', ip)).status)
      expect(statuses).toEqual([...Array(30).fill(401), 429])
    })

    it('each change needs the password, of which a thief of a token can guess ten in ten minutes', async () => {
      const { token } = await withApp()
      const paths = ['/me/totp', '/me/totp/disable', '/me/recovery-codes']
      const statuses = []
      // Setting up the app took two of the ten requests.
      for (let i = 0; i < 6; i++)
        statuses.push((await post(paths[i % 3]!, { password: `guess ${i}` }, token)).status)
      expect(statuses).toEqual(Array(6).fill(403))
      expect(refusal(await post('/me/totp/disable', {}, token))).toBe('400 invalid_request')
      expect(refusal(await post('/me/totp/disable', { password: '' }, token))).toBe('403 forbidden')
      for (const path of paths) expect((await post(path, { password }, token)).status).toBe(429)
    })

    it('the app is turned off with the password, and then the password is enough again', async () => {
      const { login, token, app, codes } = await withApp()
      const open = await challengeOf(login)
      expect((await post('/me/totp/disable', { password }, token)).json).toEqual({ ok: true })
      for (const code of [app.code(now()), codes[0]!]) expect((await enterCode(open, code)).status).toBe(401)
      expect((await signIn(login)).json.token).toEqual(expect.any(String))
      expect((await security(token)).recovery_codes_left).toBe(0)
      for (const path of ['/me/totp/disable', '/me/recovery-codes'])
        expect(refusal(await post(path, { password }, token))).toBe('404 not_found')
    })

    it('an account without a password has no use for a code, and is told so', async () => {
      const { token } = await server().account()
      const refused = await post('/me/totp', { password: '' }, token)
      expect([refusal(refused), refused.json.error.message]).toEqual([
        '403 forbidden',
        expect.stringContaining('svcd users passwd'),
      ])
    })

    it('a new password by the operator leaves the second factor, which the operator can reset', async () => {
      const { login, app } = await withApp()
      const { platform } = server().running
      const session = await enterCode(await challengeOf(login), app.code(now()))
      await changePassword(platform, login, 'another long password')
      expect((await signIn(login, 'another long password')).json.challenge).toEqual(expect.any(String))
      nextStep()
      const { challenge } = (await signIn(login, 'another long password')).json
      const again = (await enterCode(challenge, app.code(now()))).json.token
      expect(await statusOf(session.json.token)).toBe(401)
      expect(await resetSecondFactor(platform, login.toUpperCase())).toEqual({
        totp: true,
        passkeys: 0,
        sessionsEnded: 1,
      })
      expect(await statusOf(again)).toBe(401)
      expect((await signIn(login, 'another long password')).json.token).toEqual(expect.any(String))
      expect(await resetSecondFactor(platform, login)).toEqual({ totp: false, passkeys: 0, sessionsEnded: 0 })
      await expect(resetSecondFactor(platform, 'no-such-account')).rejects.toThrow('There is no account')
    })

    it('the log of the account tells of each change, to its owner alone', async () => {
      const { login, token, codes } = await withApp()
      await enterCode(await challengeOf(login), codes[0]!)
      await post('/me/recovery-codes', { password }, token)
      await post('/me/totp/disable', { password }, token)
      await sweep(server().running.platform)
      const { json } = await server().request('/me/audit', { token })
      const said = json.entries.map(({ actor, action, target }: Record<string, string>) => [
        actor,
        action,
        target,
      ])
      expect(said).toEqual([
        [login, 'account.totp-off', login],
        [login, 'account.recovery-codes', login],
        [login, 'account.recovery-code', login],
        [login, 'account.totp-on', login],
        [null, 'account.password', login],
      ])
      const other = await server().account()
      expect((await server().request('/me/audit', { token: other.token })).json.entries).toEqual([])
    })

    it('neither the secret of the app nor a recovery code is readable in the database', async () => {
      const { id, token, codes } = await withApp()
      const fresh = await someone()
      const { secret } = (await post('/me/totp', { password }, fresh.token)).json
      const { db } = server().running.platform.store
      const rows = JSON.stringify([
        await db.selectFrom('totp_secrets').selectAll().execute(),
        await db.selectFrom('recovery_codes').selectAll().where('account_id', '=', id).execute(),
      ])
      for (const text of [secret, ...codes, ...codes.map(code => code.replaceAll('-', ''))])
        expect(rows).not.toContain(text)
      expect((await security(token)).totp.enabled_at).toMatch(/Z$/)
    })

    it('a rotation of the keys seals the secret of the app anew', async () => {
      const { login, app } = await withApp()
      const { platform } = server().running
      const [fresh, old] = [SealKey.fresh(), platform.keyring.keys]
      const keys = [fresh, ...old]
      const alone = [fresh]
      const keyring = new Keyring(() => keys)
      await resealAll({ store: platform.store, keyring }, () => undefined)
      const rotated = { ...platform, keyring: new Keyring(() => alone) }
      const code = app.code(now())
      const signedIn = await signInWithCode(rotated, { challenge: await challengeOf(login), code, ip: '' })
      expect(await statusOf(signedIn.token)).toBe(200)
    })
  },
  { SVCD_TRUST_PROXY: '127.0.0.1' },
)

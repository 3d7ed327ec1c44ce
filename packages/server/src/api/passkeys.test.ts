import { expect, it } from 'vitest'
import { changePassword } from '../core/identity/password-change.ts'
import { resetSecondFactor } from '../core/identity/second-factor.ts'
import { sweep } from '../core/platform/sweep.ts'
import { AuthenticatorApp } from '../testing/authenticator.ts'
import { PasskeyDevice } from '../testing/passkey-device.ts'
import { refusal } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

const password = 'correct horse battery'

let addresses = 0
/** Rate limits count by address, so each request uses a new one. */
const newAddress = () => `203.0.${113 + (addresses >> 8)}.${addresses++ & 255}`

onEveryServer(
  server => {
    const db = () => server().running.platform.store.db
    const post = (path: string, body?: unknown, token?: string, ip = newAddress()) =>
      server().request(path, { method: 'POST', body, token, headers: { 'x-forwarded-for': ip } })
    const signInOptions = async () => (await post('/auth/passkey/options')).json
    const signIn = (credential: unknown) => post('/auth/passkey', { credential })
    const security = async (token: string) => (await server().request('/me/security', { token })).json

    async function someone() {
      const account = await server().account()
      await changePassword(server().running.platform, account.login, password)
      return account
    }
    const newDevice = () => new PasskeyDevice(server().running.urls.dashboard)
    const optionsFor = async (token: string) => (await post('/me/passkeys/options', { password }, token)).json

    async function withPasskey() {
      const account = await someone()
      const device = newDevice()
      const credential = device.create(await optionsFor(account.token))
      const { status, json } = await post('/me/passkeys', { name: 'Laptop', credential }, account.token)
      expect([status, json.error]).toEqual([201, undefined])
      return { ...account, device, passkey: json }
    }

    it('a passkey signs in without a login and a password', async () => {
      const { id, token, device, passkey } = await withPasskey()
      expect(passkey).toMatchObject({
        name: 'Laptop',
        domain: 'app.localhost',
        usable: true,
        last_used_at: null,
      })
      const options = await signInOptions()
      expect(options).toEqual({
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        rpId: 'app.localhost',
        timeout: 600_000,
        userVerification: 'required',
        allowCredentials: [],
      })
      const { status, json } = await signIn(device.get(options))
      expect([status, Object.keys(json).sort()]).toEqual([200, ['device_secret', 'token']])
      expect((await server().request('/me', { token: json.token })).json.id).toBe(id)
      expect((await security(token)).passkeys).toEqual([{ ...passkey, last_used_at: expect.any(String) }])
    })

    it('a passkey can be renamed by its owner alone, and goes on working', async () => {
      const { token, device, passkey } = await withPasskey()
      const rename = (who: string, name: string, id = passkey.id) =>
        server().request(`/me/passkeys/${id}`, { method: 'PATCH', token: who, body: { name } })
      expect((await rename(token, '  Work laptop ')).json).toEqual({ ...passkey, name: 'Work laptop' })
      expect((await security(token)).passkeys).toMatchObject([{ id: passkey.id, name: 'Work laptop' }])
      const stranger = await someone()
      expect(refusal(await rename(stranger.token, 'Mine'))).toBe('404 not_found')
      expect(refusal(await rename(token, 'x', 'psk_none'))).toBe('404 not_found')
      for (const name of ['', '   ', 'x'.repeat(101)])
        expect(refusal(await rename(token, name))).toBe('400 invalid_request')
      expect((await signIn(device.get(await signInOptions()))).status).toBe(200)
    })

    it('a passkey signs in to an account with an authenticator app without a code', async () => {
      const { login, token, device } = await withPasskey()
      const app = new AuthenticatorApp((await post('/me/totp', { password }, token)).json.secret)
      await post('/me/totp/enable', { code: app.code(server().clock.now()) }, token)
      expect((await post('/auth/signin', { login, password })).json.passkey).toBe(true)
      expect((await signIn(device.get(await signInOptions()))).status).toBe(200)
    })

    it.each([
      ['of another origin', { origin: 'https://evil.example' }],
      ['for another host', { rpId: 'localhost' }],
      ['without a fingerprint, a face or a PIN', { verified: false }],
      ['to a challenge that the platform did not make', { challenge: 'A'.repeat(43) }],
      ['that names another account', { userHandle: 'QUFB' }],
    ])('the API takes no answer of a passkey %s', async (_, quirks) => {
      const { device } = await withPasskey()
      expect(refusal(await signIn(device.get(await signInOptions(), quirks)))).toBe('401 unauthorized')
      expect((await signIn(device.get(await signInOptions()))).status).toBe(200)
    })

    it('an answer of a passkey works once, also if it comes twice at the same time, and for ten minutes', async () => {
      const { device } = await withPasskey()
      const answer = device.get(await signInOptions())
      const both = await Promise.all([signIn(answer), signIn(answer)])
      expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
      const late = device.get(await signInOptions())
      server().clock.advance(600_000)
      expect(refusal(await signIn(late))).toBe('401 unauthorized')
      await sweep(server().running.platform)
      const old = db()
        .selectFrom('passkey_challenges')
        .selectAll()
        .where('expires_at', '<=', server().clock.now())
      expect(await old.execute()).toEqual([])
    })

    it('a signature that was tampered with, a copy of an authenticator, and an unknown passkey sign nobody in', async () => {
      const { device } = await withPasskey()
      const answer = device.get(await signInOptions())
      const tampered = { ...answer.response, signature: `${answer.response.signature.slice(0, -4)}AAAA` }
      expect(refusal(await signIn({ ...answer, response: tampered }))).toBe('401 unauthorized')
      expect((await signIn(device.get(await signInOptions()))).status).toBe(200)
      device.counter -= 1
      expect(refusal(await signIn(device.get(await signInOptions())))).toBe('401 unauthorized')
      const stranger = newDevice().get(await signInOptions())
      expect(refusal(await signIn(stranger))).toBe('401 unauthorized')
    })

    it.each([
      ['nothing', {}],
      ['no base64url', { id: 'é', rawId: 'é', type: 'public-key', response: {} }],
      ['a huge id', { id: 'A'.repeat(2_000), rawId: '', type: 'public-key', response: {} }],
    ])('the API refuses an answer with %s', async (_, credential) => {
      expect(refusal(await signIn(credential))).toBe('400 invalid_request')
    })

    it('adding a passkey needs the password, and a device that checks who uses it', async () => {
      const { token } = await someone()
      const wrong = await post('/me/passkeys/options', { password: 'a wrong one' }, token)
      expect(refusal(wrong)).toBe('403 forbidden')
      expect(refusal(await post('/me/passkeys/options', {}, token))).toBe('400 invalid_request')
      const add = async (quirks: object) =>
        refusal(
          await post(
            '/me/passkeys',
            { name: 'Phone', credential: newDevice().create(await optionsFor(token), quirks) },
            token,
          ),
        )
      expect(await add({ verified: false })).toBe('403 forbidden')
      expect(await add({ origin: 'https://evil.example' })).toBe('403 forbidden')
      expect(await add({ challenge: 'A'.repeat(43) })).toBe('403 forbidden')
      // A certificate could make the platform fetch a URL that a stranger chose.
      expect(await add({ format: 'tpm' })).toBe('403 forbidden')
      expect((await security(token)).passkeys).toEqual([])
    })

    it('a challenge for one purpose or account does nothing for another', async () => {
      const [mine, theirs] = [await withPasskey(), await withPasskey()]
      const { challenge } = await optionsFor(mine.token)
      const options = await signInOptions()
      expect((await signIn(mine.device.get({ ...options, challenge }))).status).toBe(401)
      const confirm = (await post('/me/passkeys/challenge', undefined, mine.token)).json
      expect(confirm.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([
        mine.device.id.toString('base64url'),
      ])
      expect((await signIn(mine.device.get(confirm))).status).toBe(401)
      const remove = (passkey: unknown) =>
        post(`/me/passkeys/${mine.passkey.id}/remove`, { passkey }, mine.token)
      expect(refusal(await remove(mine.device.get(await signInOptions())))).toBe('403 forbidden')
      const other = (await post('/me/passkeys/challenge', undefined, theirs.token)).json
      expect(refusal(await remove(theirs.device.get(other)))).toBe('403 forbidden')
      const foreign = newDevice().create(await optionsFor(theirs.token))
      const added = await post('/me/passkeys', { name: 'Phone', credential: foreign }, mine.token)
      expect(refusal(added)).toBe('403 forbidden')
    })

    it('a passkey confirms changes in place of the password', async () => {
      const { token, device, passkey } = await withPasskey()
      const confirmed = async () => ({
        passkey: device.get((await post('/me/passkeys/challenge', undefined, token)).json),
      })
      expect((await post('/me/totp', await confirmed(), token)).status).toBe(200)
      const removed = await post(`/me/passkeys/${passkey.id}/remove`, await confirmed(), token)
      expect(removed.json).toEqual({ ok: true })
      expect(refusal(await post('/me/passkeys/challenge', undefined, token))).toBe('404 not_found')
    })

    it('a removed passkey signs nobody in, and nobody removes that of somebody else', async () => {
      const [mine, theirs] = [await withPasskey(), await withPasskey()]
      const remove = (id: string) => post(`/me/passkeys/${id}/remove`, { password }, mine.token)
      expect(refusal(await remove(theirs.passkey.id))).toBe('404 not_found')
      const answer = mine.device.get(await signInOptions())
      expect((await remove(mine.passkey.id)).status).toBe(200)
      expect(refusal(await signIn(answer))).toBe('401 unauthorized')
      expect((await signIn(theirs.device.get(await signInOptions()))).status).toBe(200)
    })

    it('the last way in cannot be removed', async () => {
      const { id, token, device, passkey } = await withPasskey()
      await db().updateTable('accounts').set({ password_hash: null }).where('id', '=', id).execute()
      const challenge = (await post('/me/passkeys/challenge', undefined, token)).json
      const body = { passkey: device.get(challenge) }
      const refused = await post(`/me/passkeys/${passkey.id}/remove`, body, token)
      expect([refusal(refused), refused.json.error.message]).toEqual([
        '403 forbidden',
        expect.stringContaining('only way to sign in'),
      ])
      expect((await security(token)).password).toBe(false)
      expect((await signIn(device.get(await signInOptions()))).status).toBe(200)
    })

    it('a passkey is added once, by one account, and an account has at most 20', async () => {
      const { id, token, device, passkey } = await withPasskey()
      const options = await optionsFor(token)
      expect(options.excludeCredentials).toEqual([
        { id: device.id.toString('base64url'), type: 'public-key', transports: ['internal'] },
      ])
      const again = await post('/me/passkeys', { name: 'Again', credential: device.create(options) }, token)
      expect(refusal(again)).toBe('409 name_taken')
      const row = await db()
        .selectFrom('passkeys')
        .selectAll()
        .where('id', '=', passkey.id)
        .executeTakeFirst()
      for (let i = 1; i < 20; i++)
        await db()
          .insertInto('passkeys')
          .values({ ...row!, id: `psk_${i}_${id}`, credential_id: `${i} of ${id}` })
          .execute()
      expect(refusal(await post('/me/passkeys/options', { password }, token))).toBe('403 forbidden')
    })

    it('a passkey of a former domain of the platform is listed as not usable, and confirms nothing', async () => {
      const { token, passkey } = await withPasskey()
      await db()
        .updateTable('passkeys')
        .set({ rp_id: 'app.old.example' })
        .where('id', '=', passkey.id)
        .execute()
      expect((await security(token)).passkeys).toEqual([
        { ...passkey, domain: 'app.old.example', usable: false },
      ])
      expect(refusal(await post('/me/passkeys/challenge', undefined, token))).toBe('404 not_found')
      expect((await post(`/me/passkeys/${passkey.id}/remove`, { password }, token)).status).toBe(200)
    })

    it('the operator removes the passkeys of an account with its second factor', async () => {
      const { login, token, device } = await withPasskey()
      const reset = await resetSecondFactor(server().running.platform, login)
      expect(reset).toEqual({ totp: false, passkeys: 1, sessionsEnded: 0 })
      expect(refusal(await signIn(device.get(await signInOptions())))).toBe('401 unauthorized')
      const { entries } = (await server().request('/me/audit', { token })).json
      expect(entries.map(({ action }: { action: string }) => action).slice(0, 2)).toEqual([
        'account.reset',
        'account.passkey-add',
      ])
    })

    it('one address begins 60 sign-ins and fails 30 in ten minutes', async () => {
      const ip = newAddress()
      const begun = []
      for (let i = 0; i < 61; i++)
        begun.push((await post('/auth/passkey/options', undefined, undefined, ip)).status)
      expect(begun.indexOf(429)).toBe(60)
      const credential = newDevice().get(await signInOptions())
      const failed = []
      for (let i = 0; i < 31; i++)
        failed.push((await post('/auth/passkey', { credential }, undefined, ip)).status)
      expect(failed).toEqual([...Array(30).fill(401), 429])
    })
  },
  { SVCD_TRUST_PROXY: '127.0.0.1' },
)

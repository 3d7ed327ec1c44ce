import { afterAll, expect, it } from 'vitest'
import { changePassword } from '../core/identity/password-change.ts'
import { eventually } from '../testing/eventually.ts'
import { startMailServer } from '../testing/mail-server.ts'
import { PasskeyDevice } from '../testing/passkey-device.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, type Person } from '../testing/team.ts'

const password = 'correct horse battery'
const mail = await startMailServer()
afterAll(() => mail.stop())

onEveryServer(
  server => {
    /** An account with a password, and an address if one is given. */
    async function someone(email: string | null = null): Promise<Person> {
      const account = await server().account()
      const { platform } = server().running
      await changePassword(platform, account.login, password)
      await platform.store.db.updateTable('accounts').set({ email }).where('id', '=', account.id).execute()
      return account
    }
    const newAddress = () => `${freshName()}@example.com`
    const change = (who: Person, email: string, confirmation: object = { password }) =>
      send(server(), 'PUT /me/email', who, { email, ...confirmation })
    const confirm = (who: Person, token: string) => send(server(), 'POST /me/email/confirm', who, { token })
    const emailOf = async (who: Person) => (await send(server(), 'GET /me', who)).json.email
    const pendingOf = async (who: Person) =>
      (await send(server(), 'GET /me/security', who)).json.pending_email
    const mailsTo = (address: string) =>
      mail.taken.filter(({ to }) => to.includes(address)).map(({ raw }) => raw.replace(/=\r\n/g, ''))
    const secretFor = (address: string) =>
      /\/confirm-email\/([\w-]+)/.exec(mailsTo(address).at(-1) ?? '')?.[1] ?? ''

    it('an email address changes when the link to the new address is opened, and the former one gets a notice', async () => {
      const [before, after] = [newAddress(), newAddress()]
      const who = await someone(before)
      expect((await change(who, after)).json).toEqual({ email: before, pending_email: after })
      expect([await emailOf(who), await pendingOf(who)]).toEqual([before, after])
      const secret = secretFor(after)
      expect((await confirm(who, secret)).json).toEqual({ email: after })
      expect([await emailOf(who), await pendingOf(who)]).toEqual([after, null])
      await eventually(() => mailsTo(before).some(raw => raw.includes(`was changed to ${after}`)))
      const { entries } = (await send(server(), 'GET /me/audit', who)).json
      expect(entries[0]).toMatchObject({ action: 'account.email', details: { from: before, to: after } })
      expect(JSON.stringify(entries)).not.toContain(secret)
      expect(refusal(await confirm(who, secret))).toBe('404 not_found')
    })

    it('a change of the email address needs the password or a passkey, and an address', async () => {
      const who = await someone()
      const email = newAddress()
      expect(refusal(await change(who, email, {}))).toBe('400 invalid_request')
      expect(refusal(await change(who, email, { password: 'a wrong password' }))).toBe('403 forbidden')
      for (const wrong of [
        '',
        'no address',
        'a@b.example\r\nBcc: c@d.example',
        `${'x'.repeat(250)}@b.example`,
      ])
        expect(refusal(await change(who, wrong))).toBe('400 invalid_request')
      expect([mailsTo(email), await pendingOf(who)]).toEqual([[], null])
      const device = new PasskeyDevice(server().running.urls.dashboard)
      const options = (await send(server(), 'POST /me/passkeys/options', who, { password })).json
      await send(server(), 'POST /me/passkeys', who, { name: 'Key', credential: device.create(options) })
      const passkey = device.get((await send(server(), 'POST /me/passkeys/challenge', who)).json)
      expect((await change(who, email, { passkey })).status).toBe(200)
      await confirm(who, secretFor(email))
      expect(refusal(await change(who, email))).toBe('400 invalid_request')
    })

    it('the link works only for the account that asked for it, and until it asks for another address', async () => {
      const [who, other] = [await someone(), await someone()]
      const [first, second] = [newAddress(), newAddress()]
      await change(who, first)
      expect(refusal(await confirm(other, secretFor(first)))).toBe('404 not_found')
      await change(who, second)
      expect(refusal(await confirm(who, secretFor(first)))).toBe('404 not_found')
      expect((await confirm(who, secretFor(second))).json).toEqual({ email: second })
      expect(await emailOf(other)).toBeNull()
    })

    it('the link works for a day, and not after a change of the password', async () => {
      const who = await someone()
      const email = newAddress()
      await change(who, email)
      await changePassword(server().running.platform, who.login, password)
      expect(refusal(await confirm(who, secretFor(email)))).toBe('404 not_found')
      await change(who, email)
      server().clock.advance(24 * 3600_000)
      expect(refusal(await confirm(who, secretFor(email)))).toBe('404 not_found')
      expect([await emailOf(who), await pendingOf(who)]).toEqual([null, null])
    })

    it('a change of the email address fails if the mail server does not accept the email', async () => {
      const who = await someone()
      mail.refusals = 10
      const refused = await change(who, newAddress())
      mail.refusals = 0
      expect(refusal(refused)).toBe('503 unavailable')
      expect(refused.json.error.message).toContain('did not accept the email')
    })

    it('an address gets at most ten such emails a day', async () => {
      const email = newAddress()
      const answers: string[] = []
      for (const who of [await someone(), await someone()])
        for (let i = 0; i < 6; i++) answers.push(refusal(await change(who, email)))
      expect(answers.filter(answer => answer.startsWith('429'))).toHaveLength(2)
      expect(mailsTo(email)).toHaveLength(10)
    })
  },
  { SVCD_SMTP_URL: mail.url, SVCD_MAIL_FROM: 'svc <svc@example.com>', SVCD_LOG_LEVEL: 'silent' },
)

onEveryServer(server => {
  it('without outbound email the address changes at once', async () => {
    const who = await server().account()
    await changePassword(server().running.platform, who.login, password)
    const body = { email: 'ada@example.com', password }
    expect((await send(server(), 'PUT /me/email', who, body)).json).toEqual({
      ...{ email: 'ada@example.com', pending_email: null },
    })
    expect((await send(server(), 'GET /me', who)).json.email).toBe('ada@example.com')
  })
})

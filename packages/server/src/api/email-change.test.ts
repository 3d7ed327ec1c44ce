import { afterAll, expect, it } from 'vitest'
import { changeUser } from '../core/admin/user-changes.ts'
import { spendMail } from '../core/base/mail-limits.ts'
import { changePassword } from '../core/identity/password-change.ts'
import { eventually } from '../testing/eventually.ts'
import { submitJson } from '../testing/forms.ts'
import { startMailServer } from '../testing/mail-server.ts'
import { PasskeyDevice } from '../testing/passkey-device.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'
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

    /** Any change wakes the worker that sends notices. */
    const wake = () =>
      server().running.platform.store.transact((_, changed) => changed({ topic: 'project', key: 'nobody' }))
    const notice = async (former: string, address: string) => {
      await wake()
      return await eventually(() => mailsTo(former).find(raw => raw.includes(`was changed to ${address}`)))
    }

    it('an email address changes when the link to the new address is opened, and the former one gets a notice', async () => {
      const [before, after] = [newAddress(), newAddress()]
      const who = await someone(before)
      expect((await change(who, after)).json).toEqual({ email: before, pending_email: after })
      expect([await emailOf(who), await pendingOf(who)]).toEqual([before, after])
      const secret = secretFor(after)
      const { db } = server().running.platform.store
      const stored = await db.selectFrom('email_changes').selectAll().execute()
      expect(secret).toHaveLength(43)
      expect(JSON.stringify(stored)).not.toContain(secret)
      expect((await confirm(who, secret)).json).toEqual({ email: after })
      expect([await emailOf(who), await pendingOf(who)]).toEqual([after, null])
      const text = await notice(before, after)
      expect(text).toContain('change your password')
      expect(text).toContain('Then change the email address back')
      expect(text).toContain('ask the operator')
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

    it('the link works for a day, and not after a new password, or after the account was disabled', async () => {
      // The first account of a platform is its admin, who cannot be disabled.
      await someone()
      const who = await someone()
      const email = newAddress()
      const { platform } = server().running
      const isVoid = async () => {
        expect(refusal(await confirm(who, secretFor(email)))).toBe('404 not_found')
        expect([await emailOf(who), await pendingOf(who)]).toEqual([null, null])
      }
      await change(who, email)
      await changePassword(platform, who.login, password)
      await isVoid()
      await change(who, email)
      await changeUser(platform, who.login, { disabled: true }, { ip: '' })
      expect(refusal(await confirm(who, secretFor(email)))).toBe('401 unauthorized')
      await changeUser(platform, who.login, { disabled: false }, { ip: '' })
      await isVoid()
      await change(who, email)
      server().clock.advance(24 * 3600_000)
      await isVoid()
    })

    it('a change that waits for its confirmation can be cancelled, and its link stops working', async () => {
      const [before, after] = [newAddress(), newAddress()]
      const who = await someone(before)
      const cancel = () => send(server(), 'DELETE /me/email/pending', who)
      await change(who, after)
      expect((await cancel()).json).toEqual({ ok: true })
      expect(refusal(await confirm(who, secretFor(after)))).toBe('404 not_found')
      expect([await emailOf(who), await pendingOf(who)]).toEqual([before, null])
      const { entries } = (await send(server(), 'GET /me/audit', who)).json
      expect(entries[0]).toMatchObject({ action: 'account.email-cancel', details: { to: after } })
      expect(refusal(await cancel())).toBe('404 not_found')
      await change(who, after)
      server().clock.advance(24 * 3600_000)
      expect(refusal(await cancel())).toBe('404 not_found')
    })

    it('of a confirmation and a cancellation at the same time, exactly one succeeds', async () => {
      const after = newAddress()
      const who = await someone()
      await change(who, after)
      const [confirmed, cancelled] = await Promise.all([
        confirm(who, secretFor(after)),
        send(server(), 'DELETE /me/email/pending', who),
      ])
      expect([confirmed.status, cancelled.status].toSorted()).toEqual([200, 404])
      expect(await emailOf(who)).toBe(confirmed.status === 200 ? after : null)
    })

    it('of two uses of the link at the same time, exactly one succeeds', async () => {
      const [before, after] = [newAddress(), newAddress()]
      const who = await someone(before)
      await change(who, after)
      const secret = secretFor(after)
      const answers = await Promise.all([1, 2, 3, 4].map(() => confirm(who, secret)))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404])
      const { entries } = (await send(server(), 'GET /me/audit', who)).json
      expect(entries.filter((entry: { action: string }) => entry.action === 'account.email')).toHaveLength(1)
      expect(await emailOf(who)).toBe(after)
    })

    it('the answer does not reveal whether another account has the address, and both accounts can have it', async () => {
      const [taken, free] = [newAddress(), newAddress()]
      const holder = await someone(taken)
      const [one, two] = [await someone(), await someone()]
      expect((await change(one, free)).json).toEqual({ email: null, pending_email: free })
      expect((await change(one, taken)).json).toEqual({ email: null, pending_email: taken })
      const secret = secretFor(taken)
      await change(two, taken)
      const answers = await Promise.all([confirm(one, secret), confirm(two, secretFor(taken))])
      expect(answers.map(({ json }) => json)).toEqual([{ email: taken }, { email: taken }])
      expect(await emailOf(holder)).toBe(taken)
    })

    it('nothing changes if the mail server does not accept the email', async () => {
      const [before, after] = [newAddress(), newAddress()]
      const who = await someone(before)
      mail.refusals = 10
      const refused = await change(who, after)
      mail.refusals = 0
      expect(refusal(refused)).toBe('503 unavailable')
      expect(refused.json.error.message).toContain('did not accept the email')
      expect([await emailOf(who), await pendingOf(who)]).toEqual([before, null])
      expect((await change(who, after)).status).toBe(200)
      expect((await confirm(who, secretFor(after))).status).toBe(200)
    })

    it('a wrong password uses up none of the emails that the address can get', async () => {
      const who = await someone()
      const email = newAddress()
      for (let i = 0; i < 5; i++)
        expect(refusal(await change(who, email, { password: 'wrong' }))).toBe('403 forbidden')
      server().clock.advance(11 * 60_000)
      for (let i = 0; i < 10; i++) expect((await change(who, email)).status).toBe(200)
    })

    it('the former address gets the notice even if the account, or others, sent all the emails of the day', async () => {
      const [before, after] = [newAddress(), newAddress()]
      const [who, other] = [await someone(before), await someone()]
      await change(who, after)
      for (const { id: ownerId } of [other, who])
        for (let i = 0; i < 60; i++)
          await spendMail(server().running.platform, { ownerId, to: before, recipient: 'stranger' })
      expect((await confirm(who, secretFor(after))).status).toBe(200)
      expect(await notice(before, after)).toContain(`Account: ${who.login}`)
    })

    it('an address gets at most ten such emails a day', async () => {
      const email = newAddress()
      const answers: string[] = []
      for (const who of [await someone(), await someone()])
        for (let i = 0; i < 6; i++) answers.push(refusal(await change(who, email)))
      expect(answers.filter(answer => answer.startsWith('429'))).toHaveLength(2)
      expect(mailsTo(email)).toHaveLength(10)
    })

    it('a confirmed address gets the emails of forms without a second link', async () => {
      const who = await someone()
      const org = freshName()
      await send(server(), 'POST /orgs', who, { name: org })
      const forms: `PATCH /projects/${string}`[] = []
      for (const owner of [undefined, org]) {
        const site = await deploySite(server(), who.token, { 'index.html': 'x' }, owner)
        await submitJson(server(), site, 'contact', { n: 1 })
        forms.push(`PATCH /projects/${site}/forms/contact`)
      }
      const email = newAddress().replace('@', '+Forms@')
      await change(who, email)
      await confirm(who, secretFor(email))
      for (const form of forms)
        expect((await send(server(), form, who, { notify: 'on' })).json.notify_pending).toEqual([])
    })
  },
  {
    SVCD_SMTP_URL: mail.url,
    SVCD_MAIL_FROM: 'svc <svc@example.com>',
    SVCD_LOG_LEVEL: 'silent',
    SVCD_SIGNUPS: 'open',
  },
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

import { afterAll, expect, it } from 'vitest'
import { changeUser } from '../core/admin/user-changes.ts'
import { changePassword } from '../core/identity/password-change.ts'
import { eventually } from '../testing/eventually.ts'
import { startMailServer } from '../testing/mail-server.ts'
import { refusal } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, type Person } from '../testing/team.ts'

const password = 'correct horse battery'
const fresh = 'a quite different horse'
const mail = await startMailServer()
afterAll(() => mail.stop())

onEveryServer(
  server => {
    const post = (path: string, body: object) => server().request(path, { method: 'POST', body })
    const forgot = (login: string) => post('/auth/password/forgot', { login })
    const reset = (token: string, more: object = {}) =>
      post('/auth/password/reset', { token, new_password: fresh, ...more })
    const signIn = (login: string, given: string) => post('/auth/signin', { login, password: given })
    const newAddress = () => `${freshName()}@example.com`
    const mailsTo = (address: string) =>
      mail.taken.filter(({ to }) => to.includes(address)).map(({ raw }) => raw.replace(/=\r\n/g, ''))
    const tokensFor = (address: string) =>
      mailsTo(address).flatMap(
        raw => /#reset=3D([\w.-]+)/.exec(raw)?.[1] ?? /#reset=([\w.-]+)/.exec(raw)?.[1] ?? [],
      )

    async function someone(email: string | null = newAddress()): Promise<Person & { email: string }> {
      const account = await server().account()
      const { platform } = server().running
      await changePassword(platform, account.login, password)
      await platform.store.db.updateTable('accounts').set({ email }).where('id', '=', account.id).execute()
      return { ...account, email: email ?? '' }
    }
    /** Any change wakes the worker that sends emails. */
    const wake = () =>
      server().running.platform.store.transact((_, changed) => changed({ topic: 'project', key: 'nobody' }))
    const sent = async (address: string, count = 1) => {
      await wake()
      return await eventually(() => tokensFor(address).length >= count && tokensFor(address))
    }

    it('a forgotten password is replaced with the link in the email, once, and sessions end', async () => {
      const { login, email, token: cli } = await someone()
      const session = (await signIn(login, password)).json.token
      expect((await forgot(login)).json).toEqual({ ok: true })
      const [token = ''] = (await sent(email)) as string[]
      const { status, json } = await reset(token)
      expect([status, json]).toEqual([200, { ok: true, login, sessions_ended: 1, tokens_revoked: 0 }])
      expect((await server().request('/me', { token: session })).status).toBe(401)
      expect((await server().request('/me', { token: cli })).status).toBe(200)
      expect((await signIn(login, password)).status).toBe(401)
      expect((await signIn(login, fresh)).status).toBe(200)
      expect(refusal(await reset(token))).toBe('404 not_found')
      const { entries } = (await server().request('/me/audit', { token: cli })).json
      expect(entries[0]).toMatchObject({ action: 'account.password' })
      expect(JSON.stringify(entries)).not.toContain(token)
    })

    it('of two uses of one link at the same time, exactly one succeeds', async () => {
      const { email } = await someone()
      await forgot(email.toUpperCase())
      const [token = ''] = (await sent(email)) as string[]
      const answers = await Promise.all([reset(token), reset(token, { revoke_tokens: true })])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
    })

    it('the link expires after an hour, and ends with another password, address or state of the account', async () => {
      const endings: Record<string, (person: Person) => unknown> = {
        password: ({ login }) => changePassword(server().running.platform, login, 'another password'),
        address: ({ id }) =>
          server()
            .running.platform.store.db.updateTable('accounts')
            .set({ email: newAddress() })
            .where('id', '=', id)
            .execute(),
        disabled: ({ login }) => changeUser(server().running.platform, login, { disabled: true }, { ip: '' }),
        hour: () => server().clock.advance(3_600_001),
      }
      for (const [name, end] of Object.entries(endings)) {
        const person = await someone()
        await forgot(person.email)
        const [token = ''] = (await sent(person.email)) as string[]
        await end(person)
        expect([name, refusal(await reset(token))]).toEqual([name, '404 not_found'])
      }
    })

    it('a link is for its own account, and cannot be made up or prolonged', async () => {
      const [ada, bea] = [await someone(), await someone()]
      await forgot(ada.email)
      const [token = ''] = (await sent(ada.email)) as string[]
      const [id, until, signature] = token.split('.')
      for (const forged of [
        [bea.id, until, signature],
        [id, String(Number(until) + 1), signature],
        [id, until, ''],
        ['', '', ''],
      ])
        expect(refusal(await reset(forged.join('.')))).toBe('404 not_found')
      expect((await reset(token, { new_password: 'short' })).status).toBe(400)
      expect((await reset(token)).status).toBe(200)
    })

    it('the answer is the same for an unknown login, an account without an address, and one that is disabled', async () => {
      const nobody = await someone(null)
      const disabled = await someone()
      await changeUser(server().running.platform, disabled.login, { disabled: true }, { ip: '' })
      const known = await someone()
      const answers = []
      for (const login of [freshName(), newAddress(), nobody.login, disabled.login, known.login]) {
        const { status, json } = await forgot(login)
        answers.push({ status, json })
      }
      expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1)
      await sent(known.email)
      expect(tokensFor(disabled.email)).toEqual([])
    })

    it('an account gets five of these emails an hour at most', async () => {
      const { email, login } = await someone()
      const { platform } = server().running
      for (let count = 1; count <= 5; count++) {
        await forgot(login)
        await sent(email, count)
      }
      await forgot(login)
      await wake()
      await eventually(async () => {
        const waiting = await platform.store.db
          .selectFrom('jobs')
          .select('id')
          .where('key', '=', login)
          .execute()
        return waiting.length === 0
      })
      expect(tokensFor(email)).toHaveLength(5)
    })
  },
  {
    SVCD_SMTP_URL: mail.url,
    SVCD_MAIL_FROM: 'svc <svc@example.com>',
    SVCD_LOG_LEVEL: 'silent',
  },
)

onEveryServer(server => {
  it('without outbound email a forgotten password is the business of the operator', async () => {
    const body = { login: 'ada' }
    const { status, json } = await server().request('/auth/password/forgot', { method: 'POST', body })
    expect([status, json.error.message]).toEqual([503, expect.stringContaining('svcd users passwd')])
  })
})

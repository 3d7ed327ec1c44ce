import { expect, it, onTestFinished } from 'vitest'
import { createAccount } from '../core/identity/accounts.ts'
import { changePassword } from '../core/identity/password-change.ts'
import { AuthenticatorApp } from '../testing/authenticator.ts'
import { eventually } from '../testing/eventually.ts'
import { startMailServer } from '../testing/mail-server.ts'
import { TestServer } from '../testing/server.ts'

const password = 'correct horse battery'

it('the owner of an account gets an email about each change to how it signs in, at most ten a day', async () => {
  const mail = await startMailServer()
  onTestFinished(() => mail.stop())
  const server = await TestServer.start('sqlite', {
    SVCD_SMTP_URL: mail.url,
    SVCD_MAIL_FROM: 'svc@example.com',
  })
  onTestFinished(() => server.remove())
  const { platform } = server.running
  await createAccount(platform, { login: 'ada', password, email: 'ada@example.com' })
  await createAccount(platform, { login: 'bob', password })
  const post = (path: string, body: object, token?: string) =>
    server.request(path, { method: 'POST', body, token })
  const { token } = (await post('/auth/signin', { login: 'ada', password })).json
  const app = new AuthenticatorApp((await post('/me/totp', { password }, token)).json.secret)
  const enabled = await post('/me/totp/enable', { code: app.code(server.clock.now()) }, token)
  const { recovery_codes } = enabled.json
  const subjects = () => mail.taken.map(({ raw }) => /^Subject: (.*(?:\r\n .*)*)/m.exec(raw)?.[1])
  await eventually(() => mail.taken.length === 1)
  const { to, raw } = mail.taken[0]!
  expect(to).toEqual(['ada@example.com'])
  expect(subjects()).toEqual(['Signing in now needs a code from your authenticator app'])
  expect(raw).toContain('Account: ada')
  expect(raw).toContain('Address: 127.0.0.1')
  for (const secret of [password, token, ...recovery_codes]) expect(raw).not.toContain(secret)

  const { challenge } = (await post('/auth/signin', { login: 'ada', password })).json
  await post('/auth/signin/code', { challenge, code: recovery_codes[0] })
  await eventually(() => mail.taken.length === 2)
  expect(subjects()[1]).toBe('A recovery code was used to sign in; 9 codes left')

  await changePassword(platform, 'bob', 'another long password')
  for (let i = 0; i < 10; i++) await changePassword(platform, 'ada', `password number ${i}`)
  await eventually(
    async () => (await platform.store.db.selectFrom('jobs').selectAll().execute()).length === 0,
  )
  expect(mail.taken).toHaveLength(10)
  expect(new Set(mail.taken.flatMap(({ to }) => to))).toEqual(new Set(['ada@example.com']))
})

// The emails that platform admins cause, through a real mail server.
import { expect, it, onTestFinished } from 'vitest'
import { createAccount } from '../core/identity/accounts.ts'
import { platformAdmin } from '../testing/admins.ts'
import { eventually } from '../testing/eventually.ts'
import { startMailServer } from '../testing/mail-server.ts'
import { send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'
import { freshName } from '../testing/team.ts'

async function platformWithMail() {
  const mail = await startMailServer()
  onTestFinished(() => mail.stop())
  const server = await TestServer.start('sqlite', {
    SVCD_SMTP_URL: mail.url,
    SVCD_MAIL_FROM: 'svc@example.com',
    SVCD_SIGNUPS: 'closed',
    SVCD_LOG_LEVEL: 'silent',
  })
  onTestFinished(() => server.remove())
  /** The text of a message, without the line breaks of quoted-printable. */
  const textOf = (at: number) => (mail.taken[at]?.raw ?? '').replace(/=\r\n/g, '').replaceAll('=3D', '=')
  return { mail, server, admin: await platformAdmin(server), textOf }
}

it('an invitation is mailed with a link that makes an account, and the answer says whether it was sent', async () => {
  const { mail, server, admin, textOf } = await platformWithMail()
  const invite = (email: string) => send(server, 'POST /admin/invites', admin, { email })
  const { json } = await invite('grace@example.org')
  expect(json).toMatchObject({ email: 'grace@example.org', email_sent: true })
  expect(mail.taken[0]?.to).toEqual(['grace@example.org'])
  expect(textOf(0)).toContain(`Subject: ${admin.login} invites you to svc on localhost`)
  expect(textOf(0)).toContain(json.invite_url)
  expect(textOf(0)).toContain(json.expires_at.slice(0, 10))
  const link = /http\S+\/join\/(\S+)/.exec(textOf(0))?.[1]
  const account = { login: freshName(), password: 'a long password', invite_token: link }
  expect((await send(server, 'POST /auth/signup', undefined, account)).status).toBe(201)
  mail.refusals = 1
  const unsent = (await invite('linus@example.org')).json
  expect(unsent).toMatchObject({ email_sent: false, invite_url: expect.stringContaining('/join/') })
  expect(mail.taken).toHaveLength(1)
})

it('the owner of an account is told by email why its sites were suspended', async () => {
  const { mail, server, admin, textOf } = await platformWithMail()
  const { platform } = server.running
  await createAccount(platform, { login: 'eve', password: 'a long password', email: 'eve@example.com' })
  await send(server, 'PUT /admin/users/eve/suspension', admin, { reason: 'Spam was reported' })
  await eventually(() => mail.taken.length === 1)
  expect(textOf(0)).toContain('Subject: Your sites were suspended')
  expect(textOf(0)).toContain('Spam was reported')
  expect(textOf(0)).not.toContain('stay online')
})

it('the owner of an account is told by email that it was disabled and enabled', async () => {
  const { mail, server, admin, textOf } = await platformWithMail()
  const { platform } = server.running
  await createAccount(platform, { login: 'ada', password: 'a long password', email: 'ada@example.com' })
  const change = (disabled: boolean) => send(server, 'PATCH /admin/users/ada', admin, { disabled })
  await change(true)
  await eventually(() => mail.taken.length === 1)
  expect(mail.taken[0]?.to).toEqual(['ada@example.com'])
  expect(textOf(0)).toContain('Subject: Your account was disabled')
  expect(textOf(0)).toContain('Account: ada')
  await change(true)
  await change(false)
  await eventually(() => mail.taken.length === 2)
  expect(textOf(1)).toContain('Subject: Your account was enabled again')
})

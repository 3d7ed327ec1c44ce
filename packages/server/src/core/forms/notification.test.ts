import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { submit, submitJson } from '../../testing/forms.ts'
import { send } from '../../testing/send.ts'
import { TestServer } from '../../testing/server.ts'
import { deploySite } from '../../testing/sites.ts'
import { makeTeam } from '../../testing/team.ts'
import { sweep } from '../sweep.ts'

interface Letter {
  to: string[]
  text: string
}

/** A real mail server that remembers what it heard of submissions while it `takes` mail, and a platform that sends its mail through it. */
async function platformWithMail() {
  const letters: Letter[] = []
  const state = { takes: true, refused: 0 }
  const mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onMailFrom(_, __, done) {
      if (state.takes) return done()
      state.refused++
      done(new Error('Not now'))
    },
    onRcptTo({ address }, _, done) {
      done(address.startsWith('gone@') ? new Error('No such mailbox') : null)
    },
    onData(stream, { envelope }, done) {
      let text = ''
      stream.on('data', chunk => {
        text += chunk
      })
      stream.on('end', () => {
        if (/^Subject: .*submission/m.test(text))
          letters.push({ to: envelope.rcptTo.map(({ address }) => address), text })
        done()
      })
    },
  })
  mail.on('error', () => undefined)
  const tcp = mail.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const server = await TestServer.start('sqlite', {
    SVCD_SMTP_URL: `smtp://127.0.0.1:${(tcp.address() as AddressInfo).port}`,
    SVCD_MAIL_FROM: 'svc <noreply@example.com>',
    SVCD_LOG_LEVEL: 'silent',
  })
  onTestFinished(async () => {
    await server.remove()
    await new Promise<void>(resolve => mail.close(() => resolve()))
  })
  return { server, letters, state }
}

async function siteWithForm(server: TestServer, notify: string) {
  const owner = await server.account()
  const name = await deploySite(server, owner.token, { 'index.html': 'x' })
  await submitJson(server, name, 'contact', { before: 'notifications' })
  await send(server, `PATCH /projects/${name}/forms/contact`, owner, { notify })
  return { owner, name }
}

/** Any change wakes the worker, as the next look of its own would. */
const wake = (server: TestServer) =>
  server.running.platform.store.transact((_, changed) => changed({ topic: 'project', key: 'nobody' }))

it('tells the address of a form what was sent to it, and answers go to the sender', async () => {
  const { server, letters } = await platformWithMail()
  const { name } = await siteWithForm(server, 'team@example.com')
  await submit(server, name, 'contact', { email: 'ada@example.org', message: 'Two\nlines' })
  await wake(server)
  await eventually(async () => letters.length === 1)
  const { to, text } = letters[0]!
  expect(to).toEqual(['team@example.com'])
  expect(text).toContain(`Subject: New submission to contact on ${name}`)
  expect(text).toContain('Reply-To: ada@example.org')
  expect(text).toContain('email: ada@example.org\r\nmessage:\r\nTwo\r\nlines')
  expect(text).not.toContain('before')
})

it('tells the owners where notifications are just on, and nobody where they are off', async () => {
  const { server, letters } = await platformWithMail()
  const team = await makeTeam(server)
  const name = await deploySite(server, team.owner.token, { 'index.html': 'x' }, team.org)
  const { db } = server.running.platform.store
  const emails = { owner: 'owner@example.com', admin: 'gone@example.com', member: 'member@example.com' }
  for (const [who, email] of Object.entries(emails))
    await db
      .updateTable('accounts')
      .set({ email })
      .where('id', '=', team[who as keyof typeof emails].id)
      .execute()
  const promote = `PUT /orgs/${team.org}/members/${team.admin.login}` as const
  expect((await send(server, promote, team.owner, { role: 'owner' })).status).toBe(200)
  await submitJson(server, name, 'contact', { silent: 1 })
  await send(server, `PATCH /projects/${name}/forms/contact`, team.owner, { notify: 'on' })
  await submitJson(server, name, 'contact', { loud: 1 })
  await wake(server)
  await eventually(async () => letters.length === 1)
  expect(letters[0]!.to).toEqual(['owner@example.com'])
  expect(letters[0]!.text).toContain('loud: 1')
  expect(letters[0]!.text).not.toContain('silent')
  // One owner's address is refused, and the other hears of it once all the same.
  const due = () => db.selectFrom('submissions').selectAll().where('mail_due', '=', 1).execute()
  await eventually(async () => (await due()).length === 0)
})

it('sends one mail a minute at most, with all that came since the last', async () => {
  const { server, letters } = await platformWithMail()
  const { name } = await siteWithForm(server, 'team@example.com')
  const { db } = server.running.platform.store
  const rests = async () => {
    const jobs = await db.selectFrom('jobs').selectAll().where('kind', '=', 'form-mail').execute()
    return jobs[0] !== undefined && jobs[0].claimed_until === null && jobs[0].run_at > server.clock.now()
  }
  await submitJson(server, name, 'contact', { n: 0 })
  await wake(server)
  await eventually(async () => letters.length === 1 && (await rests()))
  await submitJson(server, name, 'contact', { n: 1 })
  const due = await db
    .selectFrom('submissions')
    .selectAll()
    .where('mail_due', '=', 1)
    .executeTakeFirstOrThrow()
  const more = Array.from({ length: 24 }, (_, i) => ({
    ...due,
    id: `sub_${String(i).padStart(16, '0')}`,
    fields: JSON.stringify({ n: i + 2, 'two\nlines': '' }),
    created_at: due.created_at + 1 + i,
  }))
  await db.insertInto('submissions').values(more).execute()
  await wake(server)
  expect(await rests()).toBe(true)
  server.clock.advance(60_000)
  await wake(server)
  await eventually(async () => letters.length > 1)
  expect(letters).toHaveLength(2)
  expect(letters[1]!.text).toContain(`Subject: 25 new submissions to contact on ${name}`)
  expect(letters[1]!.text).toContain('n: 20\r\ntwo lines:')
  expect(letters[1]!.text).not.toContain('n: 21')
  // "… and 5 more" as mails write it.
  expect(letters[1]!.text).toMatch(/and 5 more/)
})

it('loses nothing while the mail server is down, and keeps nobody waiting', async () => {
  const { server, letters, state } = await platformWithMail()
  const { name } = await siteWithForm(server, 'team@example.com')
  state.takes = false
  expect((await submitJson(server, name, 'contact', { n: 'one' })).json).toEqual({ ok: true })
  await wake(server)
  await eventually(async () => state.refused === 1)
  const { db } = server.running.platform.store
  const waiting = () => db.selectFrom('jobs').selectAll().where('kind', '=', 'form-mail').execute()
  for (let attempt = 2; attempt <= 5; attempt++) {
    await eventually(async () => (await waiting())[0]?.claimed_until === null)
    server.clock.advance(3_600_000)
    await wake(server)
    await eventually(async () => state.refused === attempt)
  }
  await eventually(async () => (await waiting()).length === 0)
  expect((await submitJson(server, name, 'contact', { n: 'two' })).json).toEqual({ ok: true })
  state.takes = true
  await sweep(server.running.platform)
  await eventually(async () => {
    server.clock.advance(60_000)
    await wake(server)
    return letters.length > 0
  })
  expect(letters[0]!.text).toContain(`Subject: 2 new submissions to contact on ${name}`)
  expect(letters[0]!.text).toContain('n: one')
  expect(letters[0]!.text).toContain('n: two')
})

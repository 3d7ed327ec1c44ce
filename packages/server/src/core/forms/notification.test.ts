import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { submit, submitJson } from '../../testing/forms.ts'
import { listenForMail } from '../../testing/mail-server.ts'
import { send } from '../../testing/send.ts'
import { TestServer } from '../../testing/server.ts'
import { deploySite } from '../../testing/sites.ts'
import { makeTeam } from '../../testing/team.ts'
import { sweep } from '../platform/sweep.ts'

interface Letter {
  to: string[]
  text: string
}

/** A real mail server that remembers what it heard of submissions while it `takes` mail, and a platform that sends its mail through it. */
async function platformWithMail(environment: Record<string, string> = {}) {
  const letters: Letter[] = []
  /** By address: the paths of the links that it was sent to confirm itself. */
  const links = new Map<string, string[]>()
  const state = { takes: true, refused: 0 }
  const mail = await listenForMail({
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
        const to = envelope.rcptTo.map(({ address }) => address)
        const plain = text.replaceAll('=\r\n', '')
        const link = plain.match(/\/confirm\/[\w-]{43}/)?.[0]
        if (link) links.set(to[0]!, [...(links.get(to[0]!) ?? []), link])
        if (/^Subject: .*submission/m.test(text)) letters.push({ to, text })
        done()
      })
    },
  })
  const server = await TestServer.start('sqlite', {
    SVCD_SMTP_URL: mail.url,
    SVCD_MAIL_FROM: 'svc <noreply@example.com>',
    SVCD_LOG_LEVEL: 'silent',
    ...environment,
  })
  onTestFinished(async () => {
    await server.remove()
    await mail.stop()
  })
  return { server, letters, links, state }
}

/** Its emails go to an address, which has confirmed that unless the test says otherwise. */
async function siteWithForm(
  { server, links }: { server: TestServer; links: Map<string, string[]> },
  notify: string,
  confirms = true,
) {
  const owner = await server.account()
  const name = await deploySite(server, owner.token, { 'index.html': 'x' })
  await submitJson(server, name, 'contact', { before: 'notifications' })
  const patch = (change: object) => send(server, `PATCH /projects/${name}/forms/contact`, owner, change)
  const { json } = await patch({ notify })
  expect(json.notify_pending).toEqual([notify])
  const confirm = (path = links.get(notify)!.at(-1)!) => server.request(path, { method: 'POST' })
  if (confirms) expect((await confirm()).status).toBe(200)
  return { owner, name, patch, confirm }
}

/** Any change wakes the worker, as the next look of its own would. */
const wake = (server: TestServer) =>
  server.running.platform.store.transact((_, changed) => changed({ topic: 'project', key: 'nobody' }))

it('the platform tells the address of a form what was sent to it, and answers go to the sender', async () => {
  const mail = await platformWithMail()
  const { server, letters } = mail
  const { name } = await siteWithForm(mail, 'team@example.com')
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

it('the platform tells the owners where notifications are just on, and nobody where they are off', async () => {
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

it('the platform sends one mail a minute at most, with all that came since the last', async () => {
  const mail = await platformWithMail()
  const { server, letters } = mail
  const { name } = await siteWithForm(mail, 'team@example.com')
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

it('the platform loses nothing while the mail server is down, and keeps nobody waiting', async () => {
  const mail = await platformWithMail()
  const { server, letters, state } = mail
  const { name } = await siteWithForm(mail, 'team@example.com')
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
  await eventually(async () => Number((await waiting())[0]?.failed_at) > 0)
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

it('the platform sends nothing to an address but a link until the link is used, and then what came meanwhile', async () => {
  const mail = await platformWithMail()
  const { server, letters, links } = mail
  const { name, patch, confirm } = await siteWithForm(mail, 'Stranger@example.com', false)
  await submitJson(server, name, 'contact', { n: 'early' })
  await wake(server)
  const jobs = () => server.running.platform.store.db.selectFrom('jobs').selectAll().execute()
  await eventually(async () => !(await jobs()).some(job => job.kind === 'form-mail'))
  expect(letters).toEqual([])
  const [link = ''] = links.get('Stranger@example.com') ?? []
  const page = await server.request(link)
  expect(page.headers['content-type']).toContain('text/html')
  expect(page.text).toContain('stranger@example.com')
  expect((await patch({})).json.notify_pending).toEqual(['Stranger@example.com'])
  expect((await confirm()).text).toContain('Confirmed')
  expect((await patch({})).json.notify_pending).toEqual([])
  await wake(server)
  await eventually(async () => letters.length === 1)
  expect(letters[0]!.text).toContain('n: early')
  expect((await server.request('/confirm/unknown', { method: 'POST' })).status).toBe(404)
})

it('the platform asks one address ten times a day at most, whoever asks, and says so', async () => {
  const mail = await platformWithMail()
  const { patch } = await siteWithForm(mail, 'victim@example.com', false)
  const other = await siteWithForm(mail, 'victim@example.com', false)
  for (let i = 0; i < 4; i++) {
    await patch({ notify: 'victim@example.com' })
    await other.patch({ notify: 'victim@example.com' })
  }
  const { status, json, headers } = await patch({ notify: 'VICTIM@example.com' })
  expect([status, json.error.code]).toEqual([429, 'rate_limit_exceeded'])
  expect(json.error.message).toContain('at most 10 a day to one address')
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect(mail.links.get('victim@example.com')).toHaveLength(10)
})

it('the platform asks an account for its own address, too, where everybody may sign up', async () => {
  const mail = await platformWithMail({ SVCD_SIGNUPS: 'open' })
  const { server, letters, links } = mail
  const owner = await server.account()
  const { db } = server.running.platform.store
  await db.updateTable('accounts').set({ email: 'victim@example.com' }).where('id', '=', owner.id).execute()
  const name = await deploySite(server, owner.token, { 'index.html': 'x' })
  await submitJson(server, name, 'contact', { n: 1 })
  const { json } = await send(server, `PATCH /projects/${name}/forms/contact`, owner, { notify: 'on' })
  expect(json.notify_pending).toEqual(['victim@example.com'])
  await submitJson(server, name, 'contact', { n: 2 })
  await wake(server)
  expect((await server.request(links.get('victim@example.com')![0]!, { method: 'POST' })).status).toBe(200)
  await wake(server)
  await eventually(async () => letters.length === 1)
})

import { createHmac } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startDeliveries } from '../core/notifications/deliver.ts'
import { notify, notifyOfProblem, notifyOfRecovery } from '../core/notifications/notify.ts'
import { archiveOf } from '../testing/archives.ts'
import { eventually } from '../testing/eventually.ts'
import { startMailServer } from '../testing/mail-server.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'
import { makeTeam } from '../testing/team.ts'
import { addReceiver, startReceiver } from '../testing/webhook-receiver.ts'

const hour = 3_600_000

async function serverWithMail() {
  const mail = await startMailServer()
  const server = await TestServer.start('sqlite', {
    SVCD_SMTP_URL: mail.url,
    SVCD_MAIL_FROM: 'svc <noreply@example.com>',
  })
  onTestFinished(async () => {
    await server.remove()
    await mail.stop()
  })
  return { mail, server }
}

onEveryServer(
  server => {
    async function projectWithHook(events?: string[]) {
      const owner = await server().account()
      const name = await deploySite(server(), owner.token, { 'index.html': 'x' })
      const { receiver, all, target } = await addReceiver(server(), owner, name, events)
      const log = async () =>
        (await send(server(), `GET ${all}/${target.id}/deliveries`, owner)).json.deliveries
      return { owner, name, all, target, receiver, log }
    }

    const sendTest = ({ owner, all, target }: Awaited<ReturnType<typeof projectWithHook>>) =>
      send(server(), `POST ${all}/${target.id}/test`, owner)

    describe('notifications', () => {
      it('are added, changed, listed and removed, and the secret is shown once', async () => {
        const { owner, name, all, target, receiver } = await projectWithHook()
        const { secret, ...shown } = target
        expect(secret).toMatch(/^[\w-]{43}$/)
        expect(shown).toMatchObject({ kind: 'webhook', address: receiver.url, confirmed: true })
        expect(shown.events).not.toContain('deploy.succeeded')
        expect((await send(server(), `GET ${all}`, owner)).json).toEqual({ targets: [shown] })
        const events = ['deploy.succeeded']
        const changed = await send(server(), `PATCH ${all}/${target.id}`, owner, { events })
        expect(changed.json).toEqual({ ...shown, events })
        expect((await send(server(), `DELETE ${all}/${target.id}`, owner)).json).toEqual({ ok: true })
        expect(refusal(await send(server(), `DELETE ${all}/${target.id}`, owner))).toBe('404 not_found')
        const { json } = await send(server(), `GET /projects/${name}/audit`, owner)
        const actions = json.entries.slice(0, 3).map((entry: { action: string }) => entry.action)
        expect(actions).toEqual(['notification.delete', 'notification.update', 'notification.create'])
        expect(JSON.stringify(json)).not.toContain('/hook')
      })

      it.each([
        ['https://hooks.slack.com/services/T0/B0/x', 'text'],
        ['https://discord.com/api/webhooks/1/x', 'content'],
        ['https://discord.com/api/webhooks/1/x/slack', 'text'],
        ['https://acme.webhook.office.com/webhookb2/x', 'attachments'],
        ['https://prod-1.westeurope.logic.azure.com:443/workflows/x', 'attachments'],
      ])('to %s have the form that the chat service takes', async (address, field) => {
        const { owner, name, all } = await projectWithHook()
        const { id } = (await send(server(), `POST ${all}`, owner, { kind: 'webhook', address })).json
        const { status, json } = await send(server(), `POST ${all}/${id}/test`, owner)
        const body = JSON.parse(json.body)
        expect([status, body.type === 'test']).toEqual([202, false])
        expect(JSON.stringify(body[field])).toContain(`${name}: this is a test notification.`)
        expect(json.body).toContain(`/projects/${name}`)
        expect((await send(server(), `GET ${all}/${id}/deliveries`, owner)).json.deliveries[0].body).toBe(
          json.body,
        )
      })

      it('go to another URL with the same secret after a change', async () => {
        const set = await projectWithHook()
        const { owner, all, target } = set
        const other = await startReceiver()
        const change = (body: unknown) => send(server(), `PATCH ${all}/${target.id}`, owner, body)
        const changed = await change({ address: other.url })
        const { secret, ...shown } = target
        expect(changed.json).toEqual({ ...shown, address: other.url })
        await sendTest(set)
        await eventually(() => other.received.length === 1)
        const [{ headers, body }] = other.received as [(typeof other.received)[0]]
        const signed = `${headers['x-svc-timestamp']}.${body}`
        const mac = createHmac('sha256', secret).update(signed).digest('hex')
        expect(headers['x-svc-signature']).toBe(`v1=${mac}`)
        expect(set.receiver.received).toEqual([])
        expect((await change({})).json).toEqual(changed.json)
        const second = { kind: 'webhook', address: set.receiver.url }
        await send(server(), `POST ${all}`, owner, second)
        for (const address of [set.receiver.url, 'ops@example.com', 'ftp://example.com/', ''])
          expect(refusal(await change({ address }))).toBe('400 invalid_request')
        expect(refusal(await change({ events: [] }))).toBe('400 invalid_request')
      })

      it.each([
        'ftp://example.com/',
        'no url',
        'https://user:password@example.com/',
        'https://example.com:25/',
      ])('refuse the webhook %s', async address => {
        const { owner, all } = await projectWithHook()
        const answer = await send(server(), `POST ${all}`, owner, { kind: 'webhook', address })
        expect(refusal(answer)).toBe('400 invalid_request')
      })

      it('reach a webhook signed, with an id and a time, and the log shows them', async () => {
        const set = await projectWithHook()
        const { receiver, target, log } = set
        const test = await sendTest(set)
        expect(test.status).toBe(202)
        await eventually(async () => (await log())[0].state === 'delivered')
        const [{ headers, body, url }] = receiver.received as [(typeof receiver.received)[0]]
        expect(url).toBe('/hook?a=1')
        const timestamp = String(headers['x-svc-timestamp'])
        const mac = createHmac('sha256', target.secret).update(`${timestamp}.${body}`).digest('hex')
        expect(headers['x-svc-signature']).toBe(`v1=${mac}`)
        expect(headers['x-svc-delivery']).toBe(test.json.id)
        expect(JSON.parse(body)).toMatchObject({ id: test.json.id, type: 'test', project: set.name })
        expect((await log())[0]).toMatchObject({ attempts: 1, status: 200, response: 'thanks', body })
      })

      it('are sent again after a failure, then given up, and again on request', async () => {
        const set = await projectWithHook()
        const { receiver, log, owner, all, target } = set
        receiver.state.status = 500
        const answer = (attempt: number) => `attempt ${attempt} ${'x'.repeat(100_000)}`
        receiver.state.answer = answer(1)
        const { json: test } = await sendTest(set)
        for (let attempt = 1; attempt <= 8; attempt++) {
          await eventually(async () => (await log())[0].response === answer(attempt).slice(0, 500))
          receiver.state.answer = answer(attempt + 1)
          server().clock.advance(13 * hour)
        }
        await eventually(async () => (await log())[0].state === 'failed')
        expect(receiver.received).toHaveLength(8)
        receiver.state.status = 204
        await send(server(), `POST ${all}/${target.id}/deliveries/${test.id}/resend`, owner)
        await eventually(async () => (await log())[0].state === 'delivered')
        expect(new Set(receiver.received.map(({ headers }) => headers['x-svc-delivery'])).size).toBe(1)
      })

      it('do not follow redirects', async () => {
        const set = await projectWithHook()
        const other = await startReceiver()
        Object.assign(set.receiver.state, { status: 302, headers: { location: other.url } })
        await sendTest(set)
        await eventually(async () => (await set.log())[0].status === 302)
        expect(other.received).toEqual([])
      })

      it('tell of a failed deployment, and of a successful one if asked', async () => {
        const { owner, name, receiver } = await projectWithHook(['deploy.failed', 'deploy.succeeded'])
        await server().upload(owner.token, name, Buffer.from('this is no archive'))
        await eventually(async () => receiver.received.length === 1)
        await server().upload(owner.token, name, archiveOf({ 'index.html': 'y' }))
        await eventually(async () => receiver.received.length === 2)
        const types = receiver.received.map(({ body }) => JSON.parse(body).type)
        expect(types).toEqual(['deploy.failed', 'deploy.succeeded'])
      })

      it('tell once of a job that fails again and again, and once when it works again', async () => {
        const { owner, name, receiver, log } = await projectWithHook(['cron.failed'])
        const crons = `/projects/${name}/crons` as const
        const { json: cron } = await send(server(), `POST ${crons}`, owner, {
          schedule: '0 0 1 1 *',
          path: '/missing',
        })
        const run = () => send(server(), `POST ${crons}/${cron.id}/run`, owner)
        await run()
        await run()
        expect(await log()).toHaveLength(1)
        server().clock.advance(7 * hour)
        await run()
        await send(server(), `PATCH ${crons}/${cron.id}`, owner, { path: '/' })
        await run()
        await run()
        await eventually(async () => receiver.received.length === 3)
        const types = (await log()).map(({ type }: { type: string }) => type).sort()
        expect(types).toEqual(['cron.failed', 'cron.failed', 'cron.recovered'])
      })

      it('of an org tell of all its projects, and only its admins manage them', async () => {
        const team = await makeTeam(server())
        const receiver = await startReceiver()
        const all = `/orgs/${team.org}/notifications` as const
        const body = { kind: 'webhook', address: receiver.url, events: ['deploy.succeeded'] }
        expect(refusal(await send(server(), `POST ${all}`, team.member, body))).toBe('403 forbidden')
        expect(refusal(await send(server(), `GET ${all}`, team.outsider))).toBe('404 not_found')
        expect((await send(server(), `POST ${all}`, team.admin, body)).status).toBe(201)
        const name = await deploySite(server(), team.member.token, { 'index.html': 'x' }, team.org)
        await eventually(async () => receiver.received.length === 1)
        expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ project: name, org: team.org })
      })

      it('are sent by one of two workers, and by another one if the first dies', async () => {
        const set = await projectWithHook()
        const { platform } = server().running
        await sendTest(set)
        const portion = { atMost: 50, ofTarget: 3, withoutTargets: [] }
        const started: Promise<unknown>[] = []
        const look = () =>
          startDeliveries(platform, portion, new AbortController().signal, ({ done }) => started.push(done))
        await Promise.all([look(), look(), look()])
        await Promise.all(started)
        await eventually(async () => (await set.log())[0].state === 'delivered')
        expect(set.receiver.received).toHaveLength(1)
        // A worker that died after the claim leaves this behind.
        const until = server().clock.now() + 60_000
        await platform.store.db
          .updateTable('notification_deliveries')
          .set({ state: 'pending', attempts: 1, next_at: until })
          .where('target_id', '=', set.target.id)
          .execute()
        server().clock.advance(61_000)
        await eventually(async () => set.receiver.received.length === 2)
      })

      it('are lost with the event if its transaction fails, and wait with it if not', async () => {
        const set = await projectWithHook(['build.failed', 'app.crashing'])
        const { store, clock } = server().running.platform
        const project = await store.db
          .selectFrom('projects')
          .select('id')
          .where('name', '=', set.name)
          .executeTakeFirstOrThrow()
        const about = { projectId: project.id, subject: 'x', words: 'x', page: '' }
        const failing = store.transact(async tx => {
          await notify(tx, clock.now(), { ...about, event: 'build.failed' })
          throw new Error('rolled back')
        })
        await expect(failing).rejects.toThrow('rolled back')
        expect(await set.log()).toEqual([])
        await store.transact(async tx => {
          await notifyOfRecovery(tx, clock.now(), { ...about, event: 'app.crashing' })
          await notifyOfProblem(tx, clock.now(), { ...about, event: 'app.crashing' })
          await notifyOfProblem(tx, clock.now(), { ...about, event: 'app.crashing' })
          await notifyOfRecovery(tx, clock.now(), { ...about, event: 'app.crashing' })
        })
        expect((await set.log()).map(({ type }: { type: string }) => type).sort()).toEqual([
          'app.crashing',
          'app.recovered',
        ])
      })
    })
  },
  { SVCD_ALLOW_PRIVATE_TARGETS: '1' },
)

it('a notification is not sent to a private address', async () => {
  const server = await TestServer.start()
  onTestFinished(() => server.remove())
  const owner = await server.account()
  const name = await deploySite(server, owner.token, { 'index.html': 'x' })
  const receiver = await startReceiver()
  const all = `/projects/${name}/notifications` as const
  for (const address of [receiver.url, receiver.url.replace('127.0.0.1', 'localhost')]) {
    const { json } = await send(server, `POST ${all}`, owner, { kind: 'webhook', address })
    await send(server, `POST ${all}/${json.id}/test`, owner)
    const last = async () =>
      (await send(server, `GET ${all}/${json.id}/deliveries`, owner)).json.deliveries[0]
    await eventually(async () => (await last()).response !== null)
    expect((await last()).response).toContain('has no public address')
  }
  expect(receiver.received).toEqual([])
})

it('an email is sent after its address was confirmed, with the problem and a link', async () => {
  const { mail, server } = await serverWithMail()
  const owner = await server.account()
  const name = await deploySite(server, owner.token, { 'index.html': 'x' })
  const all = `/projects/${name}/notifications` as const
  const body = { kind: 'email', address: 'ops@example.com' }
  const { json: target } = await send(server, `POST ${all}`, owner, body)
  expect(target).toMatchObject({ confirmed: false, secret: null })
  await server.upload(owner.token, name, Buffer.from('this is no archive'))
  const last = async () =>
    (await send(server, `GET ${all}/${target.id}/deliveries`, owner)).json.deliveries[0]
  await eventually(async () => (await last())?.response?.includes('not confirmed'))
  expect(mail.taken).toHaveLength(1)
  const link = mail.taken[0]!.raw.replaceAll('=\r\n', '').match(/\/confirm\/[\w-]{43}/)?.[0]
  await send(server, `POST ${link as `/${string}`}`)
  expect((await send(server, `GET ${all}`, owner)).json.targets[0].confirmed).toBe(true)
  server.clock.advance(hour)
  await eventually(async () => (await last()).state === 'delivered')
  expect(mail.taken).toHaveLength(2)
  expect(mail.taken[1]!.raw).toContain(`Subject: ${name}: a deployment failed.`)
})

it('a member of the org gets emails without a confirmation, and another address only after one', async () => {
  const { mail, server } = await serverWithMail()
  const team = await makeTeam(server)
  const { db } = server.running.platform.store
  const email = 'Member@example.com'
  await db.updateTable('accounts').set({ email }).where('login', '=', team.member.login).execute()
  const all = `/orgs/${team.org}/notifications` as const
  const body = { kind: 'email', address: 'member@example.com' }
  const { json: target } = await send(server, `POST ${all}`, team.admin, body)
  expect(target.confirmed).toBe(true)
  await send(server, `POST ${all}/${target.id}/test`, team.admin)
  const sentTo = (address: string) => mail.taken.filter(({ to }) => to.includes(address))
  await eventually(() => sentTo('member@example.com').some(({ raw }) => raw.includes('test notification')))
  const change = { address: 'ops@example.com' }
  const changed = await send(server, `PATCH ${all}/${target.id}`, team.admin, change)
  expect(changed.json).toMatchObject({ ...change, confirmed: false })
  expect(sentTo('ops@example.com')[0]!.raw).toContain('Confirm emails')
})

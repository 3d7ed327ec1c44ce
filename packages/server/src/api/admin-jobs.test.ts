// Background jobs one by one, in the operator area.
import { expect, it, onTestFinished } from 'vitest'
import { enqueue } from '../core/base/jobs.ts'
import { createAccount } from '../core/identity/accounts.ts'
import { changePassword } from '../core/identity/password-change.ts'
import { sweep } from '../core/platform/sweep.ts'
import { giveUp } from '../store/platform/jobs.ts'
import { platformAdmin } from '../testing/admins.ts'
import { eventually } from '../testing/eventually.ts'
import { startMailServer } from '../testing/mail-server.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'

interface Job {
  id: string
  key: string
  state: string
  attempts: number
  error: string | null
  can_cancel: boolean
}

onEveryServer(server => {
  const db = () => server().running.platform.store.db
  const hour = 3_600_000

  /** Queues jobs that are due in an hour, the first one as the newest. */
  async function queue(...keys: [kind: 'compress' | 'invoice', key: string][]) {
    const now = server().clock.now()
    for (const [i, [kind, key]] of keys.entries())
      await enqueue(db(), kind, { id: key }, { runAt: now + hour, now: now + hour - i })
    const admin = await platformAdmin(server())
    const { json } = await send(server(), 'GET /admin/jobs?limit=100', admin)
    const jobs = keys.map(([, key]) => json.jobs.find((job: Job) => job.key === key) as Job)
    const read = async (id: string): Promise<Job | undefined> =>
      (await send(server(), 'GET /admin/jobs?limit=100', admin)).json.jobs.find((job: Job) => job.id === id)
    return { admin, jobs, read }
  }

  it('jobs are listed newest first, in pages, with what they are about and when they are due', async () => {
    const { admin, jobs } = await queue(['compress', 'list_a'], ['invoice', 'list_b'])
    expect(jobs[0]).toMatchObject({
      kind: 'compress',
      key: 'list_a',
      state: 'waiting',
      attempts: 0,
      error: null,
      due_at: expect.stringMatching(/Z$/),
    })
    expect(jobs.map(({ can_cancel }) => can_cancel)).toEqual([true, false])
    const first = (await send(server(), 'GET /admin/jobs?limit=1', admin)).json
    const next = await send(server(), `GET /admin/jobs?limit=1&cursor=${first.next_cursor}`, admin)
    expect([...first.jobs, ...next.json.jobs].map((job: Job) => job.key)).toEqual(['list_a', 'list_b'])
  })

  it('a job is cancelled only if nobody counts on it, or if it was given up', async () => {
    const { admin, jobs, read } = await queue(['compress', 'cancel_a'], ['invoice', 'cancel_b'])
    const [compress, invoice] = jobs.map(({ id }) => id) as [string, string]
    expect((await send(server(), `DELETE /admin/jobs/${compress}`, admin)).json).toEqual({ ok: true })
    expect(await read(compress)).toBeUndefined()
    expect(refusal(await send(server(), `DELETE /admin/jobs/${compress}`, admin))).toBe('404 not_found')
    expect(refusal(await send(server(), `DELETE /admin/jobs/${invoice}`, admin))).toBe('400 invalid_request')
    await giveUp(db(), invoice, server().clock.now(), 'The printer is on fire.')
    expect(await read(invoice)).toMatchObject({
      ...{ state: 'failed', due_at: null, error: 'The printer is on fire.', can_cancel: true },
    })
    expect((await send(server(), `DELETE /admin/jobs/${invoice}`, admin)).status).toBe(200)
  })

  it('a job that runs can neither be cancelled nor started again', async () => {
    const { admin, jobs, read } = await queue(['compress', 'running_a'])
    const [{ id }] = jobs as [Job]
    const claimed_until = server().clock.now() + hour
    await db().updateTable('jobs').set({ claimed_until }).where('id', '=', id).execute()
    expect(await read(id)).toMatchObject({ state: 'running', can_cancel: false })
    expect(refusal(await send(server(), `DELETE /admin/jobs/${id}`, admin))).toBe('409 run_under_way')
    expect(refusal(await send(server(), `POST /admin/jobs/${id}/retry`, admin))).toBe('409 run_under_way')
  })

  it('a job that was given up begins again if it is queued again, and is deleted after seven days', async () => {
    const { jobs, read } = await queue(['invoice', 'again_a'], ['invoice', 'again_b'])
    const [a, b] = jobs as [Job, Job]
    const now = server().clock.now()
    await giveUp(db(), a.id, now, 'No.')
    await giveUp(db(), b.id, now - 8 * 24 * hour, 'No.')
    await enqueue(db(), 'invoice', { id: 'again_a' }, { runAt: now + hour, now })
    await enqueue(db(), 'invoice', { id: 'again_a' }, { now })
    expect(await read(a.id)).toMatchObject({ state: 'waiting', attempts: 0, error: 'No.' })
    await sweep(server().running.platform)
    expect(await read(b.id)).toBeUndefined()
    expect(await read(a.id)).toBeDefined()
  })

  it('an unknown job is not found', async () => {
    const admin = await platformAdmin(server())
    expect(refusal(await send(server(), 'POST /admin/jobs/job_none/retry', admin))).toBe('404 not_found')
  })
})

it('a job that fails says why, is kept when it is given up, and succeeds when the operator tries again', async () => {
  const mail = await startMailServer()
  onTestFinished(() => mail.stop())
  mail.refusals = 1_000
  const server = await TestServer.start('sqlite', { SVCD_SMTP_URL: mail.url, SVCD_LOG_LEVEL: 'silent' })
  onTestFinished(() => server.remove())
  const { platform } = server.running
  await createAccount(platform, { login: 'ada', password: 'a long password', email: 'ada@example.com' })
  const admin = await platformAdmin(server)
  const jobs = async (): Promise<Job[]> => (await send(server, 'GET /admin/jobs', admin)).json.jobs
  await changePassword(platform, 'ada', 'another long password')
  await eventually(async () => (await jobs())[0]?.state === 'retrying')
  expect((await jobs())[0]).toMatchObject({ kind: 'security-mail', attempts: 1, can_cancel: false })
  // The fifth attempt is the last one.
  await platform.store.db.updateTable('jobs').set({ attempts: 4, run_at: 0 }).execute()
  await eventually(async () => (await jobs())[0]?.state === 'failed')
  expect((await jobs())[0]).toMatchObject({ attempts: 5, error: expect.stringMatching(/mail/i) })
  const { overview } = { overview: (await send(server, 'GET /admin/overview', admin)).json }
  expect(overview.jobs).toMatchObject([{ kind: 'security-mail', waiting: 0, retrying: 0, failed: 1 }])
  mail.refusals = 0
  const [job] = await jobs()
  const { json } = await send(server, `POST /admin/jobs/${job!.id}/retry`, admin)
  expect(json).toMatchObject({ id: job!.id, state: 'waiting', attempts: 0 })
  await eventually(async () => (await jobs()).length === 0)
  expect(mail.taken).toHaveLength(1)
})

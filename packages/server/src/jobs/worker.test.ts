// The queue of background jobs and the sweep, on a whole server.
import { describe, expect, it, onTestFinished } from 'vitest'
import { enqueue } from '../core/base/jobs.ts'
import { createAccount } from '../core/identity/accounts.ts'
import { changePassword } from '../core/identity/password-change.ts'
import { sweep } from '../core/platform/sweep.ts'
import { insertJob } from '../store/platform/jobs.ts'
import { platformAdmin } from '../testing/admins.ts'
import { eventually } from '../testing/eventually.ts'
import { listenForMail } from '../testing/mail-server.ts'
import { send } from '../testing/send.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'

interface Job {
  id: string
  key: string
  state: string
  attempts: number
  can_cancel: boolean
}

onEveryServer(
  server => {
    const db = () => server().running.platform.store.db
    const jobOf = async (key: string): Promise<Job | undefined> => {
      const { json } = await send(server(), 'GET /admin/jobs?limit=100', await platformAdmin(server()))
      return json.jobs.find((job: Job) => job.key === key)
    }
    /** The worker looks when something has changed, and otherwise every few seconds. */
    const wake = () =>
      server().running.platform.store.transact((_tx, changed) => changed({ topic: 'project', key: 'none' }))
    /** Waits until a job that was queued after the others has run. */
    async function workerWasHere() {
      await enqueue(db(), 'compress', { id: 'dep_marker' }, { now: server().clock.now() })
      await wake()
      await eventually(async () => (await jobOf('dep_marker')) === undefined)
    }
    const jobs = { payload: '{}', runAt: 1, now: 1 }

    it('a job of a kind that this version does not know stays in the queue, and the operator sees it', async () => {
      await insertJob(db(), { ...jobs, kind: 'of-a-newer-version', key: 'unknown kind' })
      await workerWasHere()
      const job = await jobOf('unknown kind')
      expect(job).toMatchObject({ state: 'not_understood', attempts: 0, can_cancel: true })
      const admin = await platformAdmin(server())
      const { json } = await send(server(), 'GET /admin/overview', admin)
      expect(json.jobs).toContainEqual({
        ...{ kind: 'of-a-newer-version', waiting: 0, running: 0, retrying: 0, failed: 0 },
        ...{ not_understood: 1, late_since: null },
      })
      expect((await send(server(), `DELETE /admin/jobs/${job!.id}`, admin)).status).toBe(200)
    })

    it.each([
      ['has a field too many', '{"id":"dep_x","priority":1}'],
      ['has another type', '{"id":7}'],
      ['is not JSON', '{'],
    ])('a job whose payload %s is left to a newer version, without an attempt', async (name, payload) => {
      await insertJob(db(), { ...jobs, kind: 'compress', key: name, payload })
      await wake()
      await eventually(async () => (await jobOf(name))?.state === 'not_understood')
      await workerWasHere()
      const row = () => db().selectFrom('jobs').selectAll().where('key', '=', name).executeTakeFirstOrThrow()
      const before = await row()
      expect(before).toMatchObject({ attempts: 0, claimed_until: null })
      await workerWasHere()
      // Nobody claimed it a second time.
      expect(await row()).toEqual(before)
      await db().deleteFrom('jobs').where('key', '=', name).execute()
    })

    it('a job that an older version queued, with a key alone, is run', async () => {
      const old = { run_at: 1, attempts: 0, claimed_until: null, created_at: 1 }
      await db()
        .insertInto('jobs')
        .values({ ...old, id: 'job_old', kind: 'form-mail', key: 'prj_none contact' })
        .execute()
      await workerWasHere()
      await eventually(async () => (await jobOf('prj_none contact')) === undefined)
    })

    describe('the sweep', () => {
      const steps = async () =>
        (await send(server(), 'GET /admin/sweep', await platformAdmin(server()))).json.steps
      const stepOf = async (name: string) =>
        (await steps()).find((step: { name: string }) => step.name === name)

      it('runs every step, though one fails, and tells the operator which', async () => {
        const { platform } = server().running
        await sweep(platform)
        const before = await stepOf('deleted files')
        expect(before).toMatchObject({ error: null, succeeded_at: before.ran_at })
        await db()
          .insertInto('discarded_packs')
          .values({ deployment_id: 'dep_gone', discarded_at: 1 })
          .execute()
        const packs = Object.assign(Object.create(platform.packs), {
          delete: () => Promise.reject(new Error('the storage does not answer')),
        })
        server().clock.advance(1_000)
        const swept = await sweep({ ...platform, packs })
        expect(swept.filter(({ error }) => error !== undefined).map(({ name }) => name)).toEqual([
          'deleted files',
        ])
        const [first, ...others] = await steps()
        expect(first).toMatchObject({
          ...{ name: 'deleted files', error: 'the storage does not answer' },
          succeeded_at: before.succeeded_at,
        })
        for (const { error, ran_at } of others) {
          expect(error).toBeNull()
          expect(Date.parse(ran_at)).toBeGreaterThan(Date.parse(before.ran_at))
        }
        const { token } = await platformAdmin(server())
        const { text } = await server().request('/metrics', { token })
        expect(text).toContain('svcd_sweep_step_failed{step="deleted files"} 1\n')
        expect(text).toContain('svcd_sweep_step_failed{step="request log"} 0\n')
        expect(text).toMatch(/svcd_sweep_step_last_run_timestamp_seconds\{step="request log"\} \d/)
        await sweep(platform)
        expect(await stepOf('deleted files')).toMatchObject({ error: null })
      })
    })
  },
  { SVCD_LOG_LEVEL: 'silent' },
)

it('a mail server that does not answer holds up neither other mail nor other jobs', async () => {
  let release = (): void => undefined
  const isReleased = new Promise<void>(resolve => {
    release = resolve
  })
  let waiting = 0
  const taken: string[] = []
  const mail = await listenForMail({
    onRcptTo({ address }, _session, done) {
      if (!address.startsWith('slow')) return done()
      waiting++
      void isReleased.then(() => done())
    },
    onData(stream, { envelope }, done) {
      stream.resume()
      stream.on('end', () => {
        taken.push(...envelope.rcptTo.map(({ address }) => address))
        done()
      })
    },
  })
  onTestFinished(() => mail.stop())
  const server = await TestServer.start('sqlite', { SVCD_SMTP_URL: mail.url })
  onTestFinished(() => server.remove())
  onTestFinished(() => release())
  const { platform } = server.running
  const changeOf = async (login: string) => {
    await createAccount(platform, { login, password: 'a long password', email: `${login}@example.com` })
    await changePassword(platform, login, 'another long password')
  }
  await changeOf('slow')
  await eventually(async () => waiting === 1)
  await changeOf('quick')
  await eventually(async () => taken.includes('quick@example.com'))
  const { db } = platform.store
  await enqueue(db, 'compress', { id: 'dep_none' }, { now: server.clock.now() })
  const kinds = async () => (await db.selectFrom('jobs').select('kind').execute()).map(({ kind }) => kind)
  await eventually(async () => !(await kinds()).includes('compress'))
  expect(await kinds()).toEqual(['security-mail'])
  release()
  await eventually(async () => (await kinds()).length === 0)
  expect(taken).toEqual(['quick@example.com', 'slow@example.com'])
})

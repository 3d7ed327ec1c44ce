import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { CronParts, Platform } from '../core/base/platform.ts'
import { startDue } from '../core/crons/run.ts'
import type { SiteRequest } from '../ports/site-call/port.ts'
import { newCronSite } from '../testing/crons.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

const minute = 60_000
const never = new AbortController().signal
const all = { atMost: 50, ofProject: 50, withoutProjects: [] }

/** The runs that a worker takes up. */
async function takenBy(worker: CronParts, stopping = never): Promise<Promise<unknown>[]> {
  const runs: Promise<unknown>[] = []
  await startDue(worker, all, stopping, ({ done }) => runs.push(done))
  return runs
}

onEveryServer(server => {
  describe('the schedule', () => {
    /** A worker whose requests the test answers; the server's own worker looks on beside it. */
    async function scheduled(schedule = '* * * * *') {
      const site = await newCronSite(server())
      const { json: cron } = await site.add({ schedule, path: '/tick', method: 'POST' })
      const { db } = server().running.platform.store
      const sent: SiteRequest[] = []
      const answers: (() => void)[] = []
      const callSite = (request: SiteRequest) =>
        new Promise<number>(resolve => {
          sent.push(request)
          answers.push(() => resolve(204))
        })
      const worker = (): Platform => ({ ...server().running.platform, clock, callSite })
      // A time of its own, long before which the server's worker sees nothing due.
      const clock = { now: () => at, timeout: () => never }
      const at0 = Date.UTC(2099, 0, 1)
      let at = at0
      await db
        .updateTable('crons')
        .set({ next_run_at: at0 + minute })
        .where('id', '=', cron.id)
        .execute()
      const others = db.updateTable('crons').set({ next_run_at: null }).where('id', '<>', cron.id)
      await others.execute()
      return {
        ...site,
        cron,
        sent,
        worker,
        answer: () => answers.shift()?.(),
        setTime: (ms: number) => {
          at = at0 + ms
        },
      }
    }

    it('runs a job in its minute, once among all workers, with a signature that its secret proves', async () => {
      const { cron, name, sent, worker, answer, setTime, list, runs } = await scheduled()
      setTime(minute - 1)
      expect(await takenBy(worker())).toEqual([])
      for (let n = 1; n <= 5; n++) {
        setTime(n * minute + 500)
        const taken = await Promise.all([1, 2, 3].map(() => takenBy(worker())))
        expect(taken.flat()).toHaveLength(1)
        while (sent.length < n) await new Promise(resolve => setImmediate(resolve))
        answer()
        await Promise.all(taken.flat())
      }
      expect(sent).toHaveLength(5)
      expect(await runs(cron.id)).toHaveLength(5)
      const [{ project, method, path, headers }] = sent as [SiteRequest]
      expect([project, method, path, headers['x-svc-cron']]).toEqual([name, 'POST', '/tick', cron.id])
      const timestamp = headers['x-svc-timestamp']
      expect(Number(timestamp)).toBe(Date.UTC(2099, 0, 1) / 1000 + 60)
      const { verification_secret: secret } = await list()
      const hex = createHmac('sha256', secret).update(`${timestamp}.POST./tick`).digest('hex')
      expect(headers['x-svc-signature']).toBe(`v1=${hex}`)
    })

    it('skips a run while the one before is under way, also when someone runs it by hand', async () => {
      const { cron, owner, crons, sent, worker, answer, setTime, runs } = await scheduled()
      setTime(minute)
      const [first] = await takenBy(worker())
      while (sent.length < 1) await new Promise(resolve => setImmediate(resolve))
      setTime(2 * minute)
      expect(await takenBy(worker())).toEqual([])
      expect(refusal(await send(server(), `POST ${crons}/${cron.id}/run`, owner))).toBe('409 run_under_way')
      answer()
      await first
      setTime(3 * minute)
      const [third] = await takenBy(worker())
      while (sent.length < 2) await new Promise(resolve => setImmediate(resolve))
      answer()
      await third
      expect(await runs(cron.id)).toHaveLength(2)
    })

    it('does not make up for minutes that were missed', async () => {
      const { sent, worker, setTime, list } = await scheduled()
      setTime(10 * minute + 30_000)
      expect(await takenBy(worker())).toEqual([])
      expect(sent).toEqual([])
      expect((await list()).crons[0].next_run_at).toBe('2099-01-01T00:11:00.000Z')
    })

    it('takes up again what a worker left that died', async () => {
      const { sent, worker, answer, setTime } = await scheduled()
      setTime(minute)
      await takenBy(worker())
      while (sent.length < 1) await new Promise(resolve => setImmediate(resolve))
      setTime(2 * minute + 30_000)
      const [next] = await takenBy(worker())
      expect(next).toBeDefined()
      answer()
      while (sent.length < 2) await new Promise(resolve => setImmediate(resolve))
      answer()
      await next
    })

    it('ends the runs under way when the platform stops, and says so', async () => {
      const { cron, worker, setTime, runs } = await scheduled()
      const stopping = new AbortController()
      const callSite = (_: SiteRequest, signal: AbortSignal) =>
        new Promise<number>((_, reject) => {
          if (signal.aborted) reject(signal.reason)
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      setTime(minute)
      const [run] = await takenBy({ ...worker(), callSite }, stopping.signal)
      stopping.abort()
      await run
      expect(await runs(cron.id)).toMatchObject([
        { status: null, error: 'The platform was stopped before the answer came.' },
      ])
    })
  })
})

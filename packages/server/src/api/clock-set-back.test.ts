import { describe, expect, it } from 'vitest'
import { repairTimesAhead } from '../core/platform/clock-set-back.ts'
import { newCronSite } from '../testing/crons.ts'
import { onEveryServer } from '../testing/server.ts'

const day = 86_400_000
const ahead = 40 * day

onEveryServer(server => {
  const soon = (time: string): boolean => Date.parse(time) < server().clock.now() + day

  /** What svcd does every few minutes, and as soon as it sees that the clock was set back. */
  const repair = () => repairTimesAhead(server().running.platform)

  describe('a clock that was ahead and is then corrected', () => {
    it('does not postpone scheduled jobs', async () => {
      const site = await newCronSite(server())
      await site.add({ schedule: '*/5 * * * *', path: '/tick' })
      const { json: yearly } = await site.add({ schedule: '0 0 1 1 *', path: '/rare' })
      const next = async (): Promise<string[]> =>
        (await site.list()).crons.map((cron: { next_run_at: string }) => cron.next_run_at)
      server().clock.advance(ahead)
      await expect
        .poll(async () => (await next()).some(time => Date.parse(time) > Date.now() + day))
        .toBe(true)
      server().clock.advance(-ahead)
      // A run that began before may write its next time after a repair. So the repair is repeated.
      await expect
        .poll(async () => {
          await repair()
          return soon((await next())[0]!)
        })
        .toBe(true)
      expect((await next())[1]).toBe(yearly.next_run_at)
    })

    it('leaves no rate limit that goes on for weeks', async () => {
      const body = { login: 'nobody-knows', password: 'wrong password' }
      const signIn = async () => (await server().request('/auth/signin', { method: 'POST', body })).status
      server().clock.advance(ahead)
      await expect.poll(signIn).toBe(429)
      server().clock.advance(-ahead)
      await expect
        .poll(async () => {
          await repair()
          return await signIn()
        })
        .toBe(401)
    })

    it('does not keep jobs waiting that were to be tried again soon', async () => {
      const { db } = server().running.platform.store
      const at = server().clock.now() + ahead
      const job = { id: 'job_ahead', kind: 'compress', key: 'dep_none', run_at: at, attempts: 1 }
      await db
        .insertInto('jobs')
        .values({ ...job, claimed_until: null, created_at: 0 })
        .execute()
      const waiting = () => db.selectFrom('jobs').select('run_at').where('id', '=', job.id).executeTakeFirst()
      await repair()
      expect(Number((await waiting())?.run_at ?? 0)).toBeLessThan(at)
    })
  })
})

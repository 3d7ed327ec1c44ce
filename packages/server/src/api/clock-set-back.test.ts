import { describe, expect, it } from 'vitest'
import { repairTimesAhead } from '../core/platform/clock-set-back.ts'
import { onEveryServer } from '../testing/server.ts'

const day = 86_400_000
const ahead = 40 * day

onEveryServer(server => {
  describe('a clock that was ahead and is then corrected', () => {
    it('leaves no rate limit that goes on for weeks', async () => {
      const body = { login: 'nobody-knows', password: 'wrong password' }
      const signIn = async () => (await server().request('/auth/signin', { method: 'POST', body })).status
      server().clock.advance(ahead)
      await expect.poll(signIn).toBe(429)
      server().clock.advance(-ahead)
      await expect.poll(signIn).toBe(401)
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
      await repairTimesAhead(server().running.platform)
      expect(Number((await waiting())?.run_at ?? 0)).toBeLessThan(at)
    })
  })
})

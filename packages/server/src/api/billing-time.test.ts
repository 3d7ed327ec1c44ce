import { describe, expect, it } from 'vitest'
import { addMonths } from '../core/billing/periods.ts'
import { buy, day, overviewOf, passTime, paymentsOf, type Scope } from '../testing/billing.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

onEveryServer(server => {
  const overview = (who: { token: string }, scope?: Scope) => overviewOf(server(), who, scope)
  const payments = (ownerId: string) => paymentsOf(server(), ownerId)

  describe('time', () => {
    it('renews month by month, each time for the price of a month', async () => {
      const who = await server().account()
      await buy(server(), who)
      const start = Date.parse((await overview(who)).subscription.period_start)
      for (const month of [1, 2, 3]) {
        await passTime(server(), addMonths(start, month) - server().clock.now() + 1_000)
        const { subscription } = await overview(who)
        expect(Date.parse(subscription.period_start)).toBe(addMonths(start, month))
        expect((await payments(who.id)).length).toBe(1 + month)
      }
      const all = await payments(who.id)
      expect(all.map(({ net_cents, status }) => [net_cents, status])).toEqual(Array(4).fill([2_000, 'paid']))
    })

    it('ends a cancelled plan with its period, and nothing is deleted', async () => {
      const who = await server().account()
      await buy(server(), who)
      await send(server(), 'POST /projects', who, { name: `p${who.login}`.slice(0, 40) })
      await send(server(), 'POST /billing/cancel', who)
      expect(await overview(who)).toMatchObject({
        plan: { id: 'pro' },
        subscription: { status: 'cancelling', cancel_at_period_end: true, renews_at: null },
      })
      await passTime(server(), 31 * day)
      expect(await overview(who)).toMatchObject({
        plan: { id: 'free' },
        usage: { projects: 1 },
        subscription: { status: 'lapsed' },
      })
      expect((await payments(who.id)).length).toBe(1)
    })

    it('resumes a cancelled plan, which is then renewed', async () => {
      const who = await server().account()
      await buy(server(), who)
      await send(server(), 'POST /billing/cancel', who)
      expect((await send(server(), 'POST /billing/cancel', who)).json).toEqual({ ok: true })
      expect((await send(server(), 'POST /billing/resume', who)).json).toEqual({ ok: true })
      await passTime(server(), 31 * day)
      expect((await overview(who)).subscription).toMatchObject({
        status: 'active',
        cancel_at_period_end: false,
      })
    })

    it('cannot resume a plan that has ended, and sells it again', async () => {
      const who = await server().account()
      await buy(server(), who)
      await send(server(), 'POST /billing/cancel', who)
      // The worker has not run since.
      server().clock.advance(32 * day)
      expect((await overview(who)).plan.id).toBe('free')
      expect(refusal(await send(server(), 'POST /billing/resume', who))).toBe('409 no_subscription')
      await buy(server(), who, { plan: 'business' })
      expect(await overview(who)).toMatchObject({
        plan: { id: 'business' },
        subscription: { status: 'active' },
      })
    })

    it('charges a declined renewal again after 1, 3 and 7 days, keeps the plan until then, and ends it', async () => {
      const who = await server().account()
      await buy(server(), who, { choice: 'pay-once' })
      const { subscription } = await overview(who)
      await passTime(server(), Date.parse(subscription.period_end) - server().clock.now() + 1_000)
      const tries = async () => (await payments(who.id)).filter(({ kind }) => kind === 'renewal').length
      for (const [days, count] of [
        [0, 1],
        [0.9, 1],
        [0.2, 2],
        [1.8, 2],
        [0.3, 3],
        [3.7, 3],
      ] as const) {
        await passTime(server(), days * day)
        expect([await tries(), (await overview(who)).plan.id]).toEqual([count, 'pro'])
      }
      expect((await overview(who)).subscription).toMatchObject({
        status: 'past_due',
        retry_at: expect.any(String),
      })
      await passTime(server(), 0.5 * day)
      expect(await tries()).toBe(4)
      expect(await overview(who)).toMatchObject({
        plan: { id: 'free' },
        subscription: { status: 'lapsed', renews_at: null },
      })
      await passTime(server(), 60 * day)
      expect(await tries()).toBe(4)
    })

    it('settles an overdue renewal on the payment page: the period goes on from where it was', async () => {
      const who = await server().account()
      await buy(server(), who, { choice: 'pay-once' })
      const { subscription } = await overview(who)
      await passTime(server(), Date.parse(subscription.period_end) - server().clock.now() + day / 2)
      expect(refusal(await send(server(), 'POST /billing/change-plan', who, { plan: 'business' }))).toBe(
        '409 payment_pending',
      )
      await buy(server(), who)
      expect((await overview(who)).subscription).toMatchObject({
        status: 'active',
        period_start: subscription.period_end,
      })
      await passTime(server(), 31 * day)
      expect((await overview(who)).subscription.status).toBe('active')
    })

    it('ends an overdue plan at once when it is cancelled', async () => {
      const who = await server().account()
      await buy(server(), who, { choice: 'pay-once' })
      await passTime(server(), 31 * day)
      await send(server(), 'POST /billing/cancel', who)
      expect((await overview(who)).subscription.status).toBe('lapsed')
    })

    it('does not charge for months in which the platform stood still', async () => {
      const who = await server().account()
      await buy(server(), who)
      const start = Date.parse((await overview(who)).subscription.period_start)
      await passTime(server(), addMonths(start, 4) - server().clock.now() + day)
      expect((await payments(who.id)).length).toBe(2)
      expect(Date.parse((await overview(who)).subscription.period_start)).toBe(addMonths(start, 4))
    })

    it('renews once where several nodes look at the same moment', async () => {
      const who = await server().account()
      await buy(server(), who)
      server().clock.advance(31 * day)
      await Promise.all([1, 2, 3, 4].map(() => passTime(server(), 0)))
      expect((await payments(who.id)).map(({ kind, status }) => `${kind} ${status}`)).toEqual([
        'checkout paid',
        'renewal paid',
      ])
    })

    it('cancelled while it is renewed, a plan is renewed or ends, and never both', async () => {
      const who = await server().account()
      await buy(server(), who)
      server().clock.advance(31 * day)
      await Promise.all([
        passTime(server(), 0),
        send(server(), 'POST /billing/cancel', who),
        passTime(server(), 0),
      ])
      await passTime(server(), 0)
      const { subscription } = await overview(who)
      const renewals = (await payments(who.id)).filter(({ kind }) => kind === 'renewal')
      expect(['cancelling 1', 'lapsed 0']).toContain(`${subscription.status} ${renewals.length}`)
    })

    it('finishes a charge whose process ended in the middle, once', async () => {
      const who = await server().account()
      await buy(server(), who)
      const { platform } = server().running
      const real = platform.payments!.charge
      platform.payments!.charge = async (...order) => {
        await real(...order)
        throw new Error('the line broke')
      }
      const answer = await send(server(), 'POST /billing/change-plan', who, { plan: 'business' })
      platform.payments!.charge = real
      expect(refusal(answer)).toBe('503 payment_unavailable')
      expect(refusal(await send(server(), 'POST /billing/change-plan', who, { plan: 'business' }))).toBe(
        '409 payment_pending',
      )
      await passTime(server(), 3 * 60_000)
      expect((await overview(who)).plan.id).toBe('business')
      expect((await payments(who.id)).map(({ kind, status }) => `${kind} ${status}`)).toEqual([
        'checkout paid',
        'change paid',
      ])
    })
  })
})

import { describe, expect, it } from 'vitest'
import { addMonths } from '../core/billing/periods.ts'
import { buy, choose, day, passTime, type Scope } from '../testing/billing.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { makeTeam } from '../testing/team.ts'

onEveryServer(server => {
  const overview = async (who: { token: string }, scope: Scope = '') =>
    (await send(server(), `GET ${scope}/billing`, who)).json
  const payments = (ownerId: string) =>
    server()
      .running.platform.store.db.selectFrom('payments')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .orderBy('created_at')
      .execute()

  describe('the overview', () => {
    it('shows the free plan, what is used, the catalog, no subscription and no invoice', async () => {
      const who = await server().account()
      await send(server(), 'POST /projects', who, { name: `p${who.login}`.slice(0, 40) })
      const billing = await overview(who)
      expect(billing).toMatchObject({
        provider: 'sandbox',
        plan: { id: 'free', price_cents: 0 },
        usage: { projects: 1, domains: 0, orgs: 0, bandwidth_bytes: 0, build_minutes: 0 },
        subscription: null,
        invoices: [],
      })
      expect(billing.catalog.map((plan: { id: string }) => plan.id)).toEqual(['free', 'pro', 'business'])
      expect(billing.bandwidth_by_day.length).toBe(new Date(server().clock.now()).getUTCDate())
    })

    it('adds up the bandwidth of the month, by day, of all projects and of no other month', async () => {
      const who = await server().account()
      const { db } = server().running.platform.store
      const now = server().clock.now()
      const hour = now - (now % 3_600_000)
      for (const suffix of ['a', 'b']) {
        const { json } = await send(server(), 'POST /projects', who, { name: `${who.login}-${suffix}` })
        const traffic = {
          project_id: json.id,
          ...{ requests: 1, cache_hits: 0, status_2xx: 1, status_3xx: 0, status_4xx: 0, status_5xx: 0 },
          ...{ status_other: 0, pageviews: 0, visitors: 0, lost: 0 },
        }
        await db
          .insertInto('stats_hours')
          .values([
            { ...traffic, hour, bytes: 1_000 },
            { ...traffic, hour: addMonths(hour, -1) - 2 * day, bytes: 5_000_000 },
          ])
          .execute()
      }
      const billing = await overview(who)
      expect(billing.usage.bandwidth_bytes).toBe(2_000)
      expect(billing.bandwidth_by_day.at(-1)).toEqual({
        day: new Date(now).toISOString().slice(0, 10),
        bytes: 2_000,
      })
    })
  })

  describe('buying a plan', () => {
    it('leads to a page of the sandbox that says what it is and what it costs', async () => {
      const who = await server().account()
      const { status, json } = await send(server(), 'POST /billing/checkout', who, { plan: 'pro' })
      expect(status).toBe(200)
      const page = await server().request(new URL(json.checkout_url).pathname)
      expect(page.status).toBe(200)
      expect(page.text).toContain('no real money')
      expect(page.text).toContain('€24.20')
      expect(page.headers['referrer-policy']).toBe('no-referrer')
      expect(page.headers['cache-control']).toBe('no-store')
      expect(page.headers['content-security-policy']).toContain("form-action 'self'")
      expect((await overview(who)).subscription).toBeNull()
    })

    it('gives the plan for a month once it is paid', async () => {
      const who = await server().account()
      const before = server().clock.now()
      const paid = await buy(server(), who)
      expect(paid.status).toBe(200)
      expect(paid.headers.refresh).toMatch(/\/billing\?payment=done$/)
      const { plan, subscription } = await overview(who)
      expect(plan.id).toBe('pro')
      expect(subscription).toMatchObject({
        plan: 'pro',
        status: 'active',
        cancel_at_period_end: false,
        next_plan: null,
      })
      expect(subscription.renews_at).toBe(subscription.period_end)
      const start = Date.parse(subscription.period_start)
      expect(start).toBeGreaterThanOrEqual(before)
      expect(Date.parse(subscription.period_end)).toBe(addMonths(start, 1))
    })

    it('changes nothing where the payment is declined, and can be tried again', async () => {
      const who = await server().account()
      expect((await buy(server(), who, { choice: 'decline' })).text).toContain('Nothing was paid')
      expect(await overview(who)).toMatchObject({ plan: { id: 'free' }, subscription: null })
      await buy(server(), who)
      expect((await overview(who)).plan.id).toBe('pro')
    })

    it('uses a payment page once', async () => {
      const who = await server().account()
      const { json } = await send(server(), 'POST /billing/checkout', who, { plan: 'pro' })
      const answers = await Promise.all([1, 2, 3].map(() => choose(server(), json.checkout_url, 'pay')))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
      expect((await choose(server(), json.checkout_url, 'pay')).status).toBe(404)
      expect((await server().request(new URL(json.checkout_url).pathname)).status).toBe(404)
      expect((await payments(who.id)).map(({ status }) => status)).toEqual(['paid'])
    })

    it('closes an earlier page, and one that nobody used for an hour', async () => {
      const who = await server().account()
      const [first, second] = [
        await send(server(), 'POST /billing/checkout', who, { plan: 'pro' }),
        await send(server(), 'POST /billing/checkout', who, { plan: 'business' }),
      ]
      expect((await choose(server(), first!.json.checkout_url, 'pay')).status).toBe(404)
      await passTime(server(), 3_600_000)
      expect((await choose(server(), second!.json.checkout_url, 'pay')).status).toBe(404)
      expect((await payments(who.id)).map(({ status }) => status)).toEqual(['expired', 'expired'])
    })

    it.each([
      ['an unknown plan', { plan: 'gold' }, /plan: must be one of 'pro', 'business', not 'gold'/],
      ['the free plan', { plan: 'free' }, /plan: must be one of/],
      ['no plan', {}, /^plan/],
      ['a plan that is a name of every object', { plan: 'constructor' }, /plan: must be one of/],
    ])('refuses %s', async (_what, body, words) => {
      const who = await server().account()
      const answer = await send(server(), 'POST /billing/checkout', who, body)
      expect(refusal(answer)).toBe('400 invalid_request')
      expect(answer.json.error.message).toMatch(words)
    })

    it('refuses a second purchase while the plan runs, cancelled or not', async () => {
      const who = await server().account()
      await buy(server(), who)
      const again = () => send(server(), 'POST /billing/checkout', who, { plan: 'business' })
      expect(refusal(await again())).toBe('409 subscription_active')
      await send(server(), 'POST /billing/cancel', who)
      expect(refusal(await again())).toBe('409 subscription_active')
    })

    it('refuses choices that the page does not offer, and addresses that nobody was given', async () => {
      const who = await server().account()
      const { json } = await send(server(), 'POST /billing/checkout', who, { plan: 'pro' })
      expect((await choose(server(), json.checkout_url, 'steal' as 'pay')).status).toBe(400)
      expect((await choose(server(), `http://x/pay/${'a'.repeat(43)}`, 'pay')).status).toBe(404)
      const asJson = await server().request(new URL(json.checkout_url).pathname, {
        method: 'POST',
        body: { choice: 'pay' },
      })
      expect(asJson.status).toBe(415)
      expect((await overview(who)).plan.id).toBe('free')
    })

    it('opens 30 payment pages in 10 minutes for one account, and no more', async () => {
      const who = await server().account()
      const codes = []
      for (let page = 0; page <= 30; page++)
        codes.push((await send(server(), 'POST /billing/checkout', who, { plan: 'pro' })).status)
      expect(codes).toEqual([...Array(30).fill(200), 429])
    })

    it('of two purchases at the same moment, takes the money of one', async () => {
      const who = await server().account()
      const pages = await Promise.all(
        ['pro', 'business'].map(plan => send(server(), 'POST /billing/checkout', who, { plan })),
      )
      await Promise.all(pages.map(({ json }) => choose(server(), json.checkout_url, 'pay')))
      const kept = (await payments(who.id)).filter(({ status }) => status === 'paid')
      expect(kept.length).toBe(1)
      expect((await overview(who)).plan.id).toBe(kept[0]!.plan)
    })
  })

  describe('changing the plan', () => {
    it('upgrades at once and charges the difference for the rest of the period to the cent', async () => {
      const who = await server().account()
      await buy(server(), who)
      const { subscription } = await overview(who)
      const [start, end] = [Date.parse(subscription.period_start), Date.parse(subscription.period_end)]
      server().clock.advance(10 * day)
      const { json: preview } = await send(server(), 'GET /billing/change-plan?plan=business', who)
      expect((await send(server(), 'POST /billing/change-plan', who, { plan: 'business' })).json).toEqual({
        ok: true,
      })
      const { plan, subscription: after } = await overview(who)
      expect(plan.id).toBe('business')
      expect(after).toMatchObject({ status: 'active', period_end: subscription.period_end })
      const [, change] = await payments(who.id)
      const exact = (7_900 * (end - change!.created_at)) / (end - start)
      expect(Math.abs(change!.net_cents - exact)).toBeLessThanOrEqual(0.5)
      expect(change).toMatchObject({ kind: 'change', status: 'paid' })
      expect(preview).toMatchObject({ plan: 'business', takes_effect: 'now', renewal_cents: 11_979 })
      expect(preview.total_cents).toBe(preview.net_cents + preview.vat_cents)
      expect(Math.abs(preview.net_cents - change!.net_cents)).toBeLessThanOrEqual(1)
    })

    it('charges the full price of the larger plan at the renewal', async () => {
      const who = await server().account()
      await buy(server(), who)
      await send(server(), 'POST /billing/change-plan', who, { plan: 'business' })
      await passTime(server(), 31 * day)
      const renewal = (await payments(who.id)).at(-1)
      expect(renewal).toMatchObject({
        kind: 'renewal',
        status: 'paid',
        plan: 'business',
        net_cents: 9_900,
        total_cents: 11_979,
      })
    })

    it('lets a smaller plan follow at the end of the period, without a charge', async () => {
      const who = await server().account()
      await buy(server(), who, { plan: 'business' })
      const { json: preview } = await send(server(), 'GET /billing/change-plan?plan=pro', who)
      expect(preview).toMatchObject({ takes_effect: 'at_period_end', total_cents: 0, renewal_cents: 2_420 })
      await send(server(), 'POST /billing/change-plan', who, { plan: 'pro' })
      expect(await overview(who)).toMatchObject({
        plan: { id: 'business' },
        subscription: { next_plan: 'pro' },
      })
      await passTime(server(), 31 * day)
      expect(await overview(who)).toMatchObject({ plan: { id: 'pro' }, subscription: { next_plan: null } })
      expect((await payments(who.id)).map(({ net_cents }) => net_cents)).toEqual([9_900, 2_000])
    })

    it('takes a planned change back', async () => {
      const who = await server().account()
      await buy(server(), who, { plan: 'business' })
      await send(server(), 'POST /billing/change-plan', who, { plan: 'pro' })
      await send(server(), 'POST /billing/change-plan', who, { plan: 'business' })
      expect((await overview(who)).subscription.next_plan).toBeNull()
    })

    it('keeps the plan where the card declines, and says so', async () => {
      const who = await server().account()
      await buy(server(), who, { choice: 'pay-once' })
      const answer = await send(server(), 'POST /billing/change-plan', who, { plan: 'business' })
      expect(refusal(answer)).toBe('402 payment_failed')
      expect(await overview(who)).toMatchObject({ plan: { id: 'pro' }, subscription: { status: 'active' } })
      const { json } = await send(server(), 'POST /billing/portal', who)
      await choose(server(), json.portal_url, 'pay')
      expect((await send(server(), 'POST /billing/change-plan', who, { plan: 'business' })).status).toBe(200)
    })

    it('takes free for a cancellation', async () => {
      const who = await server().account()
      await buy(server(), who)
      await send(server(), 'POST /billing/change-plan', who, { plan: 'free' })
      expect((await overview(who)).subscription).toMatchObject({
        status: 'cancelling',
        cancel_at_period_end: true,
      })
    })

    it('charges once where it is asked for many times at the same moment', async () => {
      const who = await server().account()
      await buy(server(), who)
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => send(server(), 'POST /billing/change-plan', who, { plan: 'business' })),
      )
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
      expect((await payments(who.id)).filter(({ kind }) => kind === 'change').length).toBe(1)
    })

    it.each(['change-plan', 'cancel', 'resume', 'portal'])(
      'without a paid plan, %s is refused',
      async action => {
        const who = await server().account()
        const answer = await send(server(), `POST /billing/${action}`, who, { plan: 'business' })
        expect(refusal(answer)).toBe('409 no_subscription')
      },
    )
  })

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
      // The worker has not looked since.
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

  describe('invoices', () => {
    it('are issued once for each payment, with the VAT that was charged, and add up to what was paid', async () => {
      const who = await server().account()
      await buy(server(), who)
      await send(server(), 'POST /billing/change-plan', who, { plan: 'business' })
      for (const _month of [1, 2]) await passTime(server(), 31 * day)
      const { invoices } = await overview(who)
      const paid = await payments(who.id)
      expect(paid.length).toBe(4)
      expect(invoices.map((row: { total_cents: number }) => row.total_cents).toSorted()).toEqual(
        paid.map(({ total_cents }) => total_cents).toSorted(),
      )
      expect(new Set(invoices.map((row: { number: string }) => row.number)).size).toBe(4)
    })

    it('are issued for no payment that goes back, that was declined, or of nothing', async () => {
      const who = await server().account()
      await buy(server(), who, { choice: 'decline' })
      await buy(server(), who, { choice: 'pay-once' })
      await send(server(), 'POST /billing/change-plan', who, { plan: 'business' })
      const { json } = await send(server(), 'POST /billing/portal', who)
      await choose(server(), json.portal_url, 'pay')
      expect((await overview(who)).invoices.length).toBe(1)
    })

    it('charge no VAT to a buyer outside the EU', async () => {
      const who = await server().account()
      await send(server(), 'PUT /billing/profile', who, { name: 'Ada', country: 'US' })
      await buy(server(), who)
      const { invoices } = await overview(who)
      expect(invoices[0]).toMatchObject({ net_cents: 2_000, vat_cents: 0, total_cents: 2_000 })
    })
  })

  describe('of an org', () => {
    it('is read by admins and owners, changed by owners, and not seen by others', async () => {
      const team = await makeTeam(server())
      const scope = `/orgs/${team.org}` as const
      const answers = async (line: `${string} /${string}`, body?: unknown) =>
        Promise.all(
          (['owner', 'admin', 'member', 'outsider'] as const).map(
            async role => (await send(server(), line, team[role], body)).status,
          ),
        )
      expect(await answers(`GET ${scope}/billing`)).toEqual([200, 200, 403, 404])
      expect(await answers(`POST ${scope}/billing/checkout`, { plan: 'pro' })).toEqual([200, 403, 403, 404])
      for (const action of ['change-plan', 'cancel', 'resume', 'portal'])
        expect(await answers(`POST ${scope}/billing/${action}`, { plan: 'pro' })).toEqual([
          409, 403, 403, 404,
        ])
    })

    it('counts for the org alone, and is in its audit log', async () => {
      const team = await makeTeam(server())
      const scope = `/orgs/${team.org}` as const
      await buy(server(), team.owner, { scope })
      expect((await overview(team.owner, scope)).plan.id).toBe('pro')
      expect((await overview(team.owner)).plan.id).toBe('free')
      await send(server(), `POST ${scope}/billing/cancel`, team.owner)
      const { json } = await send(server(), `GET ${scope}/audit`, team.owner)
      expect(json.entries.slice(0, 2).map((entry: { action: string }) => entry.action)).toEqual([
        'billing.cancel',
        'billing.checkout',
      ])
    })

    it('leads back to the page of the org, whatever its display name', async () => {
      const team = await makeTeam(server())
      await send(server(), `PATCH /orgs/${team.org}`, team.owner, { display_name: 'Our Team' })
      const paid = await buy(server(), team.owner, { scope: `/orgs/${team.org}` })
      expect(paid.headers.refresh).toContain(`/orgs/${team.org}/billing?payment=done`)
    })

    it('keeps the org from being deleted until it is cancelled and has lapsed', async () => {
      const team = await makeTeam(server())
      const scope = `/orgs/${team.org}` as const
      await buy(server(), team.owner, { scope })
      const remove = () => send(server(), `DELETE /orgs/${team.org}`, team.owner)
      expect(refusal(await remove())).toBe('409 subscription_active')
      await send(server(), `POST ${scope}/billing/cancel`, team.owner)
      expect(refusal(await remove())).toBe('409 subscription_active')
      server().clock.advance(32 * day)
      expect((await remove()).json).toEqual({ ok: true })
    })

    it('gives the money back that is paid for an org that was deleted meanwhile', async () => {
      const team = await makeTeam(server())
      const { json: org } = await send(server(), `GET /orgs/${team.org}`, team.owner)
      const { json } = await send(server(), `POST /orgs/${team.org}/billing/checkout`, team.owner, {
        plan: 'pro',
      })
      expect((await send(server(), `DELETE /orgs/${team.org}`, team.owner)).status).toBe(200)
      await choose(server(), json.checkout_url, 'pay')
      await passTime(server(), 1_000)
      expect((await payments(org.id)).map(({ status }) => status)).toEqual(['refunded'])
    })
  })
})

onEveryServer(
  server => {
    it('has no billing routes and no limits where billing is off', async () => {
      const who = await server().account()
      for (const line of [
        'GET /billing',
        'POST /billing/checkout',
        'POST /billing/cancel',
        'GET /billing/change-plan?plan=pro',
      ] as const) {
        const answer = await send(server(), line, who, line.startsWith('POST') ? { plan: 'pro' } : undefined)
        expect(refusal(answer)).toBe('404 not_found')
        expect(answer.json.error.message).toMatch(/Billing is off/)
      }
      expect((await server().request('/pay/x')).status).toBe(404)
    })
  },
  { SVCD_BILLING: 'off' },
)

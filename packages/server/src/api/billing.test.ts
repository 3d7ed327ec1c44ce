import { describe, expect, it } from 'vitest'
import { addMonths } from '../core/billing/periods.ts'
import { buy, choose, day, overviewOf, passTime, paymentsOf, type Scope } from '../testing/billing.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { makeTeam } from '../testing/team.ts'

onEveryServer(server => {
  const overview = (who: { token: string }, scope?: Scope) => overviewOf(server(), who, scope)
  const payments = (ownerId: string) => paymentsOf(server(), ownerId)

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

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../lib/secret.ts'
import { stripePayments } from '../ports/payments/stripe/stripe.ts'
import { day, passTime } from '../testing/billing.ts'
import { databases } from '../testing/databases.ts'
import { refusal, send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'
import { StripeServer } from '../testing/stripe-server.ts'

describe.each(databases())('payments by Stripe on %s', engine => {
  let stripe: StripeServer
  let server: TestServer
  const logged: string[] = []
  beforeAll(async () => {
    stripe = await StripeServer.start()
    server = await TestServer.start(engine, stripe.environment, { write: line => void logged.push(line) })
  })
  afterAll(async () => {
    await server?.remove()
    await stripe?.stop()
    expect(stripe.complaints).toEqual([])
  })

  type Person = Awaited<ReturnType<TestServer['account']>>
  const overview = async (who: Person) => (await send(server, 'GET /billing', who)).json
  const payments = (who: Person) =>
    server.running.platform.store.db
      .selectFrom('payments')
      .selectAll()
      .where('owner_id', '=', who.id)
      .orderBy('created_at')
      .execute()
  const checkout = async (who: Person, plan = 'pro'): Promise<string> => {
    const { status, json } = await send(server, 'POST /billing/checkout', who, { plan })
    expect(status).toBe(200)
    return json.checkout_url.split('/').at(-1)
  }
  const deliver = (event: object, signature?: string) => {
    const body = JSON.stringify(event)
    const headers = {
      'content-type': 'application/json',
      'stripe-signature': signature ?? stripe.signature(body),
    }
    return server.request('/hooks/stripe', { method: 'POST', body, headers })
  }
  async function buy(who: Person, plan = 'pro'): Promise<void> {
    expect((await deliver(stripe.pay(await checkout(who, plan)))).status).toBe(200)
  }

  it('sells a plan through Checkout, with VAT, and saves the card', async () => {
    const who = await server.account()
    const session = await checkout(who)
    expect(stripe.sessions.get(session)).toMatchObject({ amount_total: 2_420, status: 'open' })
    expect((await overview(who)).subscription).toBeNull()
    await deliver(stripe.pay(session))
    expect(await overview(who)).toMatchObject({
      provider: 'stripe',
      plan: { id: 'pro' },
      subscription: { status: 'active' },
    })
  })

  it('takes the same event many times at once, and buys once', async () => {
    const who = await server.account()
    const event = stripe.pay(await checkout(who))
    const answers = await Promise.all([1, 2, 3, 4].map(() => deliver(event)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await payments(who)).map(({ status }) => status)).toEqual(['paid'])
  })

  it('believes no event: an unpaid session stays unpaid, and events may come in any order', async () => {
    const who = await server.account()
    const id = await checkout(who)
    const session = stripe.sessions.get(id)!
    await deliver(stripe.event('checkout.session.completed', { ...session, payment_status: 'paid' }))
    expect((await overview(who)).plan.id).toBe('free')
    const completed = stripe.pay(id)
    await deliver(stripe.event('checkout.session.expired', { ...session, status: 'expired' }))
    await deliver(completed)
    await deliver(stripe.event('checkout.session.expired', { ...session, status: 'expired' }))
    expect((await overview(who)).plan.id).toBe('pro')
  })

  it('finds a purchase whose event never came', async () => {
    const who = await server.account()
    stripe.pay(await checkout(who))
    await passTime(server, 3_600_000)
    expect((await overview(who)).plan.id).toBe('pro')
  })

  it.each([
    ['no signature', () => ''],
    ['the signature of another secret', (body: string) => stripe.signature(body, { secret: 'whsec_other' })],
    ['a signature of an hour ago', (body: string) => stripe.signature(body, { at: Date.now() - 3_600_000 })],
    ['the signature of another body', () => stripe.signature('{}')],
    ['nonsense', () => 't=1,v1=zz'],
  ])('refuses events with %s', async (_what, signatureOf) => {
    const who = await server.account()
    const event = stripe.pay(await checkout(who))
    expect(refusal(await deliver(event, signatureOf(JSON.stringify(event))))).toBe('401 unauthorized')
    expect((await overview(who)).plan.id).toBe('free')
  })

  it('takes events that concern nobody, and refuses what is too large', async () => {
    expect((await deliver(stripe.event('customer.created', { id: 'cus_x' }))).status).toBe(200)
    expect(
      (await deliver(stripe.event('payment_intent.succeeded', { metadata: { payment_id: 'pay_unknown' } })))
        .status,
    ).toBe(200)
    const large = JSON.stringify({ text: 'x'.repeat(600_000) })
    expect((await deliver({ large }, stripe.signature(JSON.stringify({ large })))).status).toBe(413)
  })

  it('renews with the saved card, and charges upgrades at once', async () => {
    const who = await server.account()
    await buy(who)
    expect((await send(server, 'POST /billing/change-plan', who, { plan: 'business' })).status).toBe(200)
    await passTime(server, 31 * day)
    const all = await payments(who)
    expect(all.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'checkout paid',
      'change paid',
      'renewal paid',
    ])
    for (const { total_cents, provider_ref } of all)
      expect(stripe.intents.get(provider_ref ?? '')).toMatchObject({
        amount: total_cents,
        status: 'succeeded',
      })
  })

  it('charges the card that was chosen in the portal', async () => {
    const who = await server.account()
    await buy(who)
    const { json } = await send(server, 'POST /billing/portal', who)
    const customer = json.portal_url.split('/').at(-1)
    stripe.customers.get(customer)!.invoice_settings.default_payment_method = 'pm_other'
    await passTime(server, 31 * day)
    const renewal = (await payments(who)).at(-1)!
    expect(stripe.intents.get(renewal.provider_ref ?? '')).toMatchObject({ payment_method: 'pm_other' })
  })

  it('says why a card was declined, closes that payment, and makes a renewal past due', async () => {
    const who = await server.account()
    await buy(who)
    stripe.card = 'declines'
    const answer = await send(server, 'POST /billing/change-plan', who, { plan: 'business' })
    expect(refusal(answer)).toBe('402 payment_failed')
    expect(answer.json.error.message).toContain('Your card was declined.')
    const [, change] = await payments(who)
    expect(stripe.intents.get(change!.provider_ref ?? '')!.status).toBe('canceled')
    await passTime(server, 31 * day)
    expect((await overview(who)).subscription.status).toBe('past_due')
    stripe.card = 'pays'
    await passTime(server, day)
    expect((await overview(who)).subscription.status).toBe('active')
  })

  it('takes a card or a customer that was removed at Stripe for a declined one, and sells again', async () => {
    const who = await server.account()
    await buy(who)
    stripe.card = 'gone'
    const answer = await send(server, 'POST /billing/change-plan', who, { plan: 'business' })
    stripe.card = 'pays'
    expect(refusal(answer)).toBe('402 payment_failed')
    const { json } = await send(server, 'POST /billing/portal', who)
    stripe.customers.delete(json.portal_url.split('/').at(-1))
    await passTime(server, 31 * day)
    expect((await overview(who)).subscription.status).toBe('past_due')
    await buy(who)
    expect((await overview(who)).subscription.status).toBe('active')
  })

  it('charges once where the answer of Stripe gets lost', async () => {
    const who = await server.account()
    await buy(who)
    stripe.lostAnswers = 10
    expect(refusal(await send(server, 'POST /billing/change-plan', who, { plan: 'business' }))).toBe(
      '503 payment_unavailable',
    )
    stripe.lostAnswers = 0
    expect((await overview(who)).plan.id).toBe('pro')
    await passTime(server, 3 * 60_000)
    expect((await overview(who)).plan.id).toBe('business')
    const change = (await payments(who)).find(({ kind }) => kind === 'change')!
    const charges = [...stripe.intents.values()].filter(intent => intent.metadata?.payment_id === change.id)
    expect(charges.length).toBe(1)
  })

  it('closes the page before when another is opened, and gives money back that came twice', async () => {
    const who = await server.account()
    const first = await checkout(who)
    const second = await checkout(who, 'business')
    expect(stripe.sessions.get(first)!.status).toBe('expired')
    // As if the customer had paid on it in the same moment.
    stripe.sessions.get(first)!.status = 'open'
    const events = [stripe.pay(first), stripe.pay(second)]
    for (const event of events) await deliver(event)
    await passTime(server, 1_000)
    expect((await payments(who)).map(({ status }) => status).toSorted()).toEqual(['paid', 'refunded'])
    expect(stripe.refunds.at(-1)).toMatchObject({ amount: 11_979 })
    expect((await overview(who)).plan.id).toBe('pro')
  })

  it('writes a credit note for money that the operator gives back, in parts and once each', async () => {
    const who = await server.account()
    await buy(who)
    const [payment] = await payments(who)
    const refund = (cents: number) =>
      stripe.event('charge.refunded', { payment_intent: payment!.provider_ref, amount_refunded: cents })
    for (const cents of [1_210, 1_210, 2_420]) await deliver(refund(cents))
    const { invoices } = await overview(who)
    expect(invoices.map((row: { total_cents: number }) => row.total_cents)).toEqual([-1_210, -1_210, 2_420])
    expect((await overview(who)).plan.id).toBe('pro')
  })

  it('writes a credit note for an org that was deleted since', async () => {
    const who = await server.account()
    const org = `gone-${who.login}`.slice(0, 40)
    const made = await send(server, 'POST /orgs', who, { name: org })
    await send(server, `PUT /orgs/${org}/billing/profile`, who, { name: 'Acme', email: 'books@example.com' })
    const { json } = await send(server, `POST /orgs/${org}/billing/checkout`, who, { plan: 'pro' })
    await deliver(stripe.pay(json.checkout_url.split('/').at(-1)))
    await send(server, `POST /orgs/${org}/billing/cancel`, who)
    server.clock.advance(32 * day)
    expect((await send(server, `DELETE /orgs/${org}`, who)).status).toBe(200)
    const { db } = server.running.platform.store
    const invoices = () =>
      db
        .selectFrom('invoices')
        .selectAll()
        .where('owner_id', '=', made.json.id)
        .orderBy('created_at')
        .execute()
    const paid = await db.selectFrom('payments').selectAll().where('owner_id', '=', made.json.id).execute()
    const about = { payment_intent: paid[0]!.provider_ref, amount_refunded: 2_420 }
    const event = stripe.event('charge.refunded', about)
    const body = JSON.stringify(event)
    const signature = stripe.signature(body, { at: Date.now() })
    expect((await deliver(event, signature)).status).toBe(200)
    expect((await invoices()).map(({ total_cents }) => total_cents)).toEqual([2_420, -2_420])
    server.clock.advance(-32 * day)
  })

  it('says and logs that Stripe refuses the platform, which is neither silence nor the card', async () => {
    const who = await server.account()
    await buy(who)
    stripe.refusal = 'Your account cannot currently make live charges.'
    const other = await server.account()
    const bought = await send(server, 'POST /billing/checkout', other, { plan: 'pro' })
    expect(refusal(bought)).toBe('503 payment_unavailable')
    expect(bought.json.error.message).toMatch(/refuses the calls of this platform, so nothing was charged/)
    const changed = await send(server, 'POST /billing/change-plan', who, { plan: 'business' })
    expect(refusal(changed)).toBe('402 payment_failed')
    expect(changed.json.error.message).toMatch(/This is not about the card, and nothing was charged/)
    expect(
      logged.filter(line => line.includes('Your account cannot currently make live charges.')),
    ).toHaveLength(2)
    stripe.refusal = undefined
    expect((await overview(who)).plan.id).toBe('pro')
    expect((await send(server, 'POST /billing/change-plan', who, { plan: 'business' })).status).toBe(200)
  })

  it('tells the doctor whether Stripe takes the key', async () => {
    await server.running.platform.payments!.check()
    const settings = { webhookSecret: new Secret('whsec_x'), apiUrl: stripe.url }
    const wrong = stripePayments({ secretKey: new Secret('sk_test_wrong'), ...settings })
    await expect(wrong.check()).rejects.toThrow('Invalid API Key')
  })

  it('answers 503 where Stripe does not answer, and has no sandbox page', async () => {
    const who = await server.account()
    const { payments: port } = server.running.platform
    const real = port!.openPage
    port!.openPage = () => Promise.reject(new Error('away'))
    const answer = await send(server, 'POST /billing/checkout', who, { plan: 'pro' })
    port!.openPage = real
    expect(refusal(answer)).toBe('503 payment_unavailable')
    expect(JSON.stringify(answer.json)).not.toContain(stripe.secretKey)
    expect((await server.request('/pay/whatever')).status).toBe(404)
  })
})

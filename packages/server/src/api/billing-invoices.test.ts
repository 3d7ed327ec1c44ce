import { describe, expect, it } from 'vitest'
import { buy, choose, day, overviewOf, passTime, paymentsOf, type Scope } from '../testing/billing.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

onEveryServer(server => {
  const overview = (who: { token: string }, scope?: Scope) => overviewOf(server(), who, scope)
  const payments = (ownerId: string) => paymentsOf(server(), ownerId)

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
})

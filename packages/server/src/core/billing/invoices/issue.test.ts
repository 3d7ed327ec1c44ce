import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findInvoiceOfPayment } from '../../../store/billing/invoices.ts'
import { putProfile } from '../../../store/billing/profiles.ts'
import type { Store } from '../../../store/store.ts'
import { onEveryStore } from '../../../testing/stores.ts'
import type { InvoiceContent } from './content.ts'
import { issueCreditNote, issueInvoice } from './issue.ts'
import { listInvoices } from './list.ts'

const seller = { name: 'Seller B.V.', address: ['Amsterdam'], vat_number: 'NL123456789B01', email: null }
const fresh = (prefix: string) => `${prefix}_${randomBytes(8).toString('hex')}`

/** A year of its own for each test, and so a series of its own. */
let years = 2030
const nextYear = () => ++years

const platformIn = (year: number, billing: 'sandbox' | 'off' = 'off') => ({
  billing,
  seller,
  clock: { now: () => Date.UTC(year, 5, 1), timeout: () => new AbortController().signal },
})
type Issuing = ReturnType<typeof platformIn>

const order = (ownerId: string, ...cents: number[]) => ({
  ownerId,
  paymentId: fresh('pay'),
  lines: cents.map(net_cents => ({ text: 'Plan Pro', net_cents })),
  period: null,
  paidAt: 0,
})

const invoice = (store: Store, platform: Issuing, what: ReturnType<typeof order>) =>
  store.transact((tx, changed) => issueInvoice(platform, tx, changed, what))

const credit = (store: Store, platform: Issuing, invoiceId: string, net_cents?: number) =>
  store.transact((tx, changed) =>
    issueCreditNote(platform, tx, changed, {
      invoiceId,
      paymentId: fresh('ref'),
      reason: 'cancelled',
      ...(net_cents !== undefined && { net_cents }),
    }),
  )

const numbersFrom = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(6, '0')}`)

onEveryStore((store, another) => {
  it('numbers have no gaps when many are issued at once on two nodes and some are rolled back', async () => {
    const year = nextYear()
    const platform = platformIn(year)
    const nodes = [store(), await another()]
    const attempts = Array.from({ length: 50 }, async (_, index) => {
      const node = nodes[index % nodes.length]!
      return await node.transact(async (tx, changed) => {
        const row = await issueInvoice(platform, tx, changed, order(fresh('acc'), 100 + index))
        if (index % 3 === 0) throw new Error('the payment could not be recorded')
        return row.number
      })
    })
    const settled = await Promise.allSettled(attempts)
    const numbers = settled.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
    expect(settled.filter(result => result.status === 'rejected')).toHaveLength(17)
    expect(numbers.sort()).toEqual(numbersFrom(String(year), 33))
  })

  it('a payment has one invoice, however often and wherever it is reported', async () => {
    const platform = platformIn(nextYear())
    const what = order(fresh('acc'), 2000)
    const nodes = [store(), await another()]
    const rows = await Promise.all(
      Array.from({ length: 10 }, (_, index) => invoice(nodes[index % 2]!, platform, what)),
    )
    expect(new Set(rows.map(row => row.id)).size).toBe(1)
    const next = await invoice(store(), platform, order(what.ownerId, 1))
    expect(next.number.slice(-6)).toBe('000002')
  })

  it('every year, credit notes and the sandbox have numbers of their own', async () => {
    const [year, later] = [nextYear(), nextYear()]
    const owner = fresh('acc')
    const first = await invoice(store(), platformIn(year), order(owner, 100))
    const numbers = [
      first.number,
      (await invoice(store(), platformIn(year, 'sandbox'), order(owner, 100))).number,
      (await credit(store(), platformIn(year), first.id)).number,
      (await invoice(store(), platformIn(later), order(owner, 100))).number,
      (await invoice(store(), platformIn(year), order(owner, 100))).number,
    ]
    expect(numbers).toEqual([
      `${year}-000001`,
      `TEST-${year}-000001`,
      `CN-${year}-000001`,
      `${later}-000001`,
      `${year}-000002`,
    ])
  })

  it('the tax is rounded once, on the sum of the lines', async () => {
    const row = await invoice(store(), platformIn(nextYear()), order(fresh('acc'), 2, 2, -1))
    expect([row.net_cents, row.vat_cents, row.total_cents]).toEqual([3, 1, 4])
  })

  it('changes of the buyer after the issue do not change the invoice', async () => {
    const owner = fresh('acc')
    const profile = (name: string, country: string, vat_number: string | null) => ({
      ...{ owner_id: owner, name, address: 'Street 1\nTown', country, vat_number },
      ...{ vat_checked_at: null, vat_consultation: null, email: null, updated_at: 0 },
    })
    await store().transact(tx => putProfile(tx, profile('Before GmbH', 'DE', 'DE136695976')))
    const what = order(owner, 2000)
    await invoice(store(), platformIn(nextYear()), what)
    await store().transact(tx => putProfile(tx, profile('After Inc.', 'US', null)))
    const row = await findInvoiceOfPayment(store().db, what.paymentId)
    expect(JSON.parse(row!.content) as InvoiceContent).toMatchObject({
      seller,
      buyer: {
        name: 'Before GmbH',
        address: ['Street 1', 'Town'],
        country: 'Germany',
        vat_number: 'DE136695976',
      },
      tax: { kind: 'reverse_charge', rate_percent: 0 },
      vat_cents: 0,
    })
  })

  it('the tax that the payment was charged with counts, also if the details changed since', async () => {
    const charged = { kind: 'domestic', rate_percent: 21, country: 'NL', vat_number: null } as const
    const owner = fresh('acc')
    const row = await invoice(store(), platformIn(nextYear()), { ...order(owner, 1000), ...{ tax: charged } })
    expect(row.total_cents).toBe(1210)
  })

  it('an invoice with a negative or fractional amount is refused', async () => {
    for (const cents of [-1, 0.5, Number.NaN])
      await expect(invoice(store(), platformIn(nextYear()), order(fresh('acc'), cents))).rejects.toThrow(
        /cents/,
      )
  })

  it('credit notes never give back more than was paid, also when they are issued at once', async () => {
    const platform = platformIn(nextYear())
    const owner = fresh('acc')
    const paid = await invoice(store(), platform, order(owner, 1000))
    const nodes = [store(), await another()]
    const parts = Array.from({ length: 8 }, (_, index) => credit(nodes[index % 2]!, platform, paid.id, 300))
    const settled = await Promise.allSettled(parts)
    expect(settled.filter(result => result.status === 'fulfilled')).toHaveLength(3)
    await expect(credit(store(), platform, paid.id, 101)).rejects.toThrow(/100 cents are left/)
    await credit(store(), platform, paid.id)
    await expect(credit(store(), platform, paid.id)).rejects.toThrow(/0 cents/)
    const listed = await listInvoices(store().db, owner)
    expect(listed).toHaveLength(5)
    expect(listed.reduce((sum, { total_cents }) => sum + total_cents, 0)).toBe(0)
    expect(listed.filter(({ kind }) => kind === 'credit_note').map(({ credits }) => credits)).toEqual(
      Array(4).fill(paid.number),
    )
  })

  it('a refund of an amount with VAT is credited to the cent', async () => {
    const platform = platformIn(nextYear())
    const paid = await invoice(store(), platform, order(fresh('acc'), 2000))
    const refund = (total_cents: number) =>
      store().transact((tx, changed) => {
        const refunded = { invoiceId: paid.id, paymentId: fresh('ref'), reason: 'paid back', total_cents }
        return issueCreditNote(platform, tx, changed, refunded)
      })
    const [small, rest] = [await refund(3), await refund(2417)]
    expect([small.net_cents, small.vat_cents, small.total_cents]).toEqual([-2, -1, -3])
    expect([rest.net_cents, rest.vat_cents, rest.total_cents]).toEqual([-1998, -419, -2417])
    await expect(refund(1)).rejects.toThrow(/0 cents are left/)
  })

  it('only an invoice can be credited', async () => {
    const platform = platformIn(nextYear())
    const paid = await invoice(store(), platform, order(fresh('acc'), 1000))
    const note = await credit(store(), platform, paid.id, 100)
    await expect(credit(store(), platform, note.id)).rejects.toThrow('There is no such invoice.')
    await expect(credit(store(), platform, 'ivc_unknown')).rejects.toThrow('There is no such invoice.')
  })

  it('for any sequence of payments and refunds, numbers have no gaps and sums match', async () => {
    const step = fc.oneof(
      fc.record({ pay: fc.array(fc.integer({ min: 0, max: 50_000 }), { minLength: 1, maxLength: 4 }) }),
      fc.record({ refund: fc.nat(20), cents: fc.integer({ min: 1, max: 60_000 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async steps => {
        const year = nextYear()
        const owner = fresh('org')
        const paid: { id: string; left: number }[] = []
        const numbers = { invoice: [] as string[], credit_note: [] as string[] }
        for (const action of steps) {
          if ('pay' in action) {
            const row = await invoice(store(), platformIn(year), order(owner, ...action.pay))
            paid.push({ id: row.id, left: row.net_cents })
            numbers.invoice.push(row.number)
            continue
          }
          const of = paid[action.refund % Math.max(1, paid.length)]
          if (!of) continue
          const asked = credit(store(), platformIn(year), of.id, action.cents)
          if (action.cents > of.left) await expect(asked).rejects.toThrow(/left to credit/)
          else {
            numbers.credit_note.push((await asked).number)
            of.left -= action.cents
          }
        }
        expect(numbers.invoice).toEqual(numbersFrom(String(year), numbers.invoice.length))
        expect(numbers.credit_note).toEqual(numbersFrom(`CN-${year}`, numbers.credit_note.length))
        const listed = await listInvoices(store().db, owner)
        const sum = (key: 'net_cents' | 'vat_cents' | 'total_cents') =>
          listed.reduce((total, row) => total + row[key], 0)
        expect(sum('net_cents')).toBe(paid.reduce((total, { left }) => total + left, 0))
        expect(sum('net_cents') + sum('vat_cents')).toBe(sum('total_cents'))
        expect(sum('vat_cents')).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 25 },
    )
  })
})

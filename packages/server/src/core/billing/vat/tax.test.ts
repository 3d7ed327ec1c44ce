import { countryCodes } from '@svc/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { amountsOf, creditAmounts, taxFor, vatOf } from './tax.ts'

it.each([
  [null, null, 'domestic', 21],
  ['NL', null, 'domestic', 21],
  ['NL', 'NL123456789B01', 'domestic', 21],
  ['DE', null, 'domestic', 21],
  ['DE', 'DE136695976', 'reverse_charge', 0],
  ['GR', 'EL094259216', 'reverse_charge', 0],
  ['MC', 'FR40303265045', 'reverse_charge', 0],
  ['GB', null, 'outside_eu', 0],
  ['GB', 'XI110305878', 'outside_eu', 0],
  ['US', null, 'outside_eu', 0],
  ['CH', null, 'outside_eu', 0],
  ['AX', null, 'outside_eu', 0],
])('in %s with the VAT number %s the tax is %s, %i %%', (country, vat_number, kind, rate_percent) => {
  expect(taxFor({ country, vat_number })).toEqual({ kind, rate_percent })
})

it('the list has 249 countries, each once', () => {
  expect([countryCodes.length, new Set(countryCodes).size]).toEqual([249, 249])
  expect(countryCodes.every(code => /^[A-Z]{2}$/.test(code))).toBe(true)
})

const domestic = { kind: 'domestic', rate_percent: 21 } as const
const net = fc.integer({ min: 0, max: 1_000_000_000_000 })

it('half a cent is rounded up', () => {
  expect(vatOf(50, 21)).toBe(11)
  expect(vatOf(150, 21)).toBe(32)
  expect(vatOf(2, 21)).toBe(0)
  expect(vatOf(3, 21)).toBe(1)
  expect(amountsOf(2000, domestic)).toEqual({ net_cents: 2000, vat_cents: 420, total_cents: 2420 })
})

it('any amount is rounded as exact arithmetic rounds it', () => {
  fc.assert(
    fc.property(net, fc.integer({ min: 0, max: 27 }), (cents, rate) => {
      const exact = (BigInt(cents) * BigInt(rate) + 50n) / 100n
      expect(BigInt(vatOf(cents, rate))).toBe(exact)
    }),
  )
})

const part = fc.record({
  cents: fc.integer({ min: 1, max: 100_000 }),
  key: fc.constantFrom('net_cents' as const, 'total_cents' as const),
})

it('refunds in any number of parts give back exactly what was paid, with and without VAT', () => {
  fc.assert(
    fc.property(net, fc.array(part, { maxLength: 20 }), (cents, parts) => {
      const paid = amountsOf(cents % 1_000_000, domestic)
      const credited = { net_cents: 0, vat_cents: 0, total_cents: 0 }
      const give = (key: 'net_cents' | 'total_cents', amount: number) => {
        const asked = key === 'net_cents' ? { net_cents: amount } : { total_cents: amount }
        const credit = creditAmounts(paid, credited, asked)
        expect(credit).toMatchObject(asked)
        expect(credit.net_cents + credit.vat_cents).toBe(credit.total_cents)
        for (const name of ['net_cents', 'vat_cents', 'total_cents'] as const) {
          expect(credit[name]).toBeGreaterThanOrEqual(0)
          credited[name] += credit[name]
          expect(credited[name]).toBeLessThanOrEqual(paid[name])
        }
      }
      for (const { key, cents } of parts) {
        const left = paid[key] - credited[key]
        if (left > 0) give(key, Math.min(cents, left))
      }
      if (credited.total_cents < paid.total_cents)
        give('total_cents', paid.total_cents - credited.total_cents)
      expect(credited).toEqual(paid)
    }),
    { numRuns: 300 },
  )
})

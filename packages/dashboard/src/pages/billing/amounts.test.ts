import type { Billing } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { formatAmount, formatEuros, formatExactly, usedOf } from './amounts.ts'

describe('amounts of a plan', () => {
  it.each([
    [50, 'count', '50'],
    [30_000, 'minutes', '30,000'],
    [5 * 1024 ** 3, 'bytes', '5 GB'],
    [1.5 * 1024 ** 3, 'bytes', '1.5 GB'],
    [10 * 1024 ** 4, 'bytes', '10 TB'],
    [0, 'bytes', '0 B'],
    [2_000, 'cents', '€20'],
    [null, 'count', 'Unlimited'],
  ] as const)('write %s %s as %s', (value, unit, words) => {
    expect(formatAmount(value, unit)).toBe(words)
  })

  it('write money with cents where there are some, and always in a bill', () => {
    expect([formatEuros(2_000), formatEuros(1_999), formatExactly(2_000)]).toEqual([
      '€20',
      '€19.99',
      '€20.00',
    ])
  })

  it.each([
    [5, 0, 0],
    [5, 3, 3],
    [2, 3, 2],
  ])('of %i server apps, a plan that keeps %i ready keeps %i', (apps, allowed, kept) => {
    const billing = { usage: { ready_apps: apps }, plan: { ready_apps: allowed } } as Billing
    expect(usedOf(billing, 'ready_apps')).toBe(kept)
  })
})

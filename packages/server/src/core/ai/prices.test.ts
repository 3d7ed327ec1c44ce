import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Prices } from './prices.ts'

const list = {
  date: '2026-01-01',
  prices: {
    'gpt-4o*': { input: 2.5, cached_input: 1.25, output: 10 },
    'gpt-4o-mini*': { input: 0.15, cached_input: 0.075, output: 0.6 },
    embed: { input: 0.02 },
  },
}
const million = { prompt: 1_000_000, cached: 0, completion: 0 }
const eur = 100 * 1_000_000

describe('the price of a model', () => {
  const prices = new Prices(list)

  test('is that of its exact name, else of its longest prefix', () => {
    expect(prices.cost('gpt-4o', million)).toBe(2.5 * eur)
    expect(prices.cost('gpt-4o-2024-08-06', million)).toBe(2.5 * eur)
    expect(prices.cost('gpt-4o-mini', million)).toBe(0.15 * eur)
    expect(prices.cost('embed', million)).toBe(0.02 * eur)
  })

  test('is 0 for a model without one', () => {
    expect(prices.cost('embed-2', million)).toBe(0)
    expect(prices.isKnown('embed-2')).toBe(false)
  })

  test('is less for what the provider had in its cache', () => {
    const counts = { prompt: 1_000_000, cached: 400_000, completion: 100_000 }
    expect(prices.cost('gpt-4o', counts)).toBe(0.6 * 2.5 * eur + 0.4 * 1.25 * eur + 0.1 * 10 * eur)
  })

  test('is rounded up to a millionth of a cent, and sums are exact', () => {
    expect(prices.cost('gpt-4o-mini', { prompt: 1, cached: 1, completion: 0 })).toBe(8) // 7.5
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e9), (prompt, completion) => {
        const exact = BigInt(prompt) * 250n + BigInt(completion) * 1000n
        expect(BigInt(prices.cost('gpt-4o', { prompt, cached: 0, completion }))).toBe(exact)
      }),
    )
  })
})

test.each([
  [{ prices: {} }, /date/],
  [{ date: 'today', prices: {} }, /date/],
  [{ date: '2026-01-01', prices: { a: { input: -1 } } }, /input/],
  [{ date: '2026-01-01', prices: { a: { input: '1' } } }, /input/],
  [{ date: '2026-01-01', prices: { a: { input: 1, inptu: 2 } } }, /inptu/],
  [{ date: '2026-01-01', prices: { a: { input: 0.0000001 } } }, /five decimals/],
  [[], /object/],
])('the list %j is refused', (wrong, words) => {
  expect(() => new Prices(wrong)).toThrow(words)
})

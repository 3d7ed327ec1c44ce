import { describe, expect, it } from 'vitest'
import { addressOf, rangeIn, ranges } from './ranges.ts'

describe('the range in the URL of a page', () => {
  it('is the usual one of that page unless another one is named', () => {
    for (const usual of ranges) {
      expect(rangeIn('', usual, ranges)).toBe(usual)
      expect(rangeIn('range=nonsense', usual, ranges)).toBe(usual)
      expect(rangeIn('range=30d', usual, ranges).id).toBe('30d')
    }
  })

  it('leads back to itself, whatever the usual one is', () => {
    for (const usual of ranges)
      for (const range of ranges) {
        const [, search = ''] = addressOf('/x', 'range=90d', range, usual).split('?')
        expect(rangeIn(search, usual, ranges)).toBe(range)
      }
  })

  it('leaves the rest of the query as it is', () => {
    const [day, days] = [ranges[0]!, ranges[2]!]
    expect(addressOf('/x', 'metric=errors', day, days)).toBe('/x?metric=errors&range=24h')
    expect(addressOf('/x', 'metric=errors&range=24h', days, days)).toBe('/x?metric=errors')
    expect(addressOf('/x', 'range=24h', days, days)).toBe('/x')
  })
})

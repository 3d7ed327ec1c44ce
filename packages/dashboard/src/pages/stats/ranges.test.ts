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
        const [, search = ''] = addressOf('/x', range, usual).split('?')
        expect(rangeIn(search, usual, ranges)).toBe(range)
      }
  })
})

import { describe, expect, it } from 'vitest'
import { addressOf, rangeIn, ranges } from './ranges.ts'

describe('the range in the address', () => {
  it('is the last day unless another one is named', () => {
    expect(rangeIn('').id).toBe('24h')
    expect(rangeIn('range=nonsense').id).toBe('24h')
    expect(rangeIn('range=30d').id).toBe('30d')
  })

  it('leads back to itself', () => {
    for (const range of ranges) {
      const [, search = ''] = addressOf('/x', range).split('?')
      expect(rangeIn(search)).toBe(range)
    }
  })
})

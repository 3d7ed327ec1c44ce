import { describe, expect, it } from 'vitest'
import { axisLabel, fullLabel, percent, roundUp } from './scale.ts'

describe('a scale', () => {
  it.each([
    [0, 1],
    [1, 1],
    [3, 4],
    [7, 8],
    [9, 10],
    [10, 10],
    [11, 20],
    [4321, 6000],
    [99_999, 100_000],
  ])('for counts up to %d ends at %d', (most, end) => {
    expect(roundUp(most, 'count')).toBe(end)
  })

  it.each([
    [500, '600 B'],
    [1500, '2 KB'],
    [700 * 1024, '800 KB'],
    [1_100_000, '2 MB'],
  ])('for %d bytes ends at %s', (most, end) => {
    expect(axisLabel(roundUp(most, 'bytes'), 'bytes')).toBe(end)
  })

  it('is written short, and read in full', () => {
    expect(axisLabel(6000, 'count')).toBe('6K')
    expect(fullLabel(6543, 'count')).toBe('6,543')
  })
})

describe('a share', () => {
  it.each([
    [0, 0, '0%'],
    [7, 9, '78%'],
    [1, 1000, '<1%'],
    [999, 1000, '>99%'],
    [5, 5, '100%'],
  ])('of %d in %d is %s', (part, of, words) => {
    expect(percent(part, of)).toBe(words)
  })
})

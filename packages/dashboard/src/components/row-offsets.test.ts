import { expect, it } from 'vitest'
import { offsetsOf, rowAt } from './row-offsets.ts'

it('rows that were not measured count with the average of those that were', () => {
  expect(offsetsOf(['a', 'b'], new Map())).toEqual([0, 22, 44])
  const heights = new Map([
    ['a', 10],
    ['c', 30],
  ])
  expect(offsetsOf(['a', 'b', 'c'], heights)).toEqual([0, 10, 30, 60])
  expect(offsetsOf([], heights)).toEqual([0])
})

it('the row at a height is the last one that begins there or above', () => {
  const offsets = [0, 10, 30, 60]
  expect([-5, 0, 9, 10, 29, 30, 59, 60, 1000].map(height => rowAt(offsets, height))).toEqual([
    0, 0, 0, 1, 1, 2, 2, 2, 2,
  ])
  expect(rowAt([0], 5)).toBe(0)
})

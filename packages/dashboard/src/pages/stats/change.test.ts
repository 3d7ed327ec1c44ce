import { expect, it } from 'vitest'
import { changeOf } from './change.ts'

it.each([
  [112, 100, '+12%', 'up'],
  [50, 100, '−50%', 'down'],
  [0, 7, '−100%', 'down'],
  [1000, 1001, '±0%', 'same'],
  [7, 7, '±0%', 'same'],
  [12_000, 1, '>999%', 'up'],
])('%d after %d is a change of %s', (value, before, words, direction) => {
  expect(changeOf(value, before)).toEqual({ words, direction })
})

it('nothing is compared with no traffic, or with a period that is not known', () => {
  expect(changeOf(5, 0)).toBeUndefined()
  expect(changeOf(5, undefined)).toBeUndefined()
})

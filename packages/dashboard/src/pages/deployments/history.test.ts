import { expect, it } from 'vitest'
import { formatDuration } from './history.ts'

it.each([
  [0, '0 ms'],
  [840.4, '840 ms'],
  [1000, '1.0 s'],
  [59_999, '59.9 s'],
  [60_000, '1 min 0 s'],
  [200_000, '3 min 20 s'],
])('a duration of %d ms is written as %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words)
})

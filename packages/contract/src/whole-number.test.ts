import { expect, test } from 'vitest'
import { formatWhole } from './whole-number.ts'

test.each([0, 7, 999, 1000, 1024, 25_000, 999_999, 1_000_000, 1_002_003, 9_007_199_254_740_991, -1, -1000])(
  '%d has its thousands apart, as in English',
  value => {
    expect(formatWhole(value)).toBe(value.toLocaleString('en-US'))
  },
)

import { expect, test } from 'vitest'
import { nanoClock, nanosOfMs, nanosOfUnixSeconds, rfc3339 } from './nanoseconds.ts'

test('a time is written with all nine digits', () => {
  expect(rfc3339(1_763_203_253_000_000_007n)).toBe('2025-11-15T10:40:53.000000007Z')
})

test.each([
  ['1763203253', 1_763_203_253_000_000_000n],
  ['1763203253.5', 1_763_203_253_500_000_000n],
  ['1763203253.123456789', 1_763_203_253_123_456_789n],
])('unix seconds %s lose nothing', (text, nanos) => {
  expect(nanosOfUnixSeconds(text)).toBe(nanos)
})

test('the clock stays within the current millisecond and does not go backwards', () => {
  const now = nanoClock({ now: () => 5 })
  const times = Array.from({ length: 1000 }, now)
  expect(times).toEqual(times.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
  expect(times.every(time => time >= nanosOfMs(5) && time < nanosOfMs(6))).toBe(true)
})

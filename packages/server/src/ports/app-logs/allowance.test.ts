import { expect, test } from 'vitest'
import { Allowance } from './allowance.ts'

function allowance() {
  let now = 0
  const taking = new Allowance({ bytesPerSecond: 100, burstBytes: 400 }, () => now)
  return { take: (bytes: number) => taking.spend(bytes), wait: (ms: number) => (now += ms) }
}

test('a whole burst is allowed', () => {
  const { take } = allowance()
  expect([take(300), take(100), take(1)]).toEqual([true, true, false])
})

test('an app that exceeds the burst is muted for a quarter of a second', () => {
  const { take, wait } = allowance()
  expect([take(400), take(1)]).toEqual([true, false])
  wait(240)
  expect(take(1)).toBe(false)
  wait(10)
  expect([take(25), take(1)]).toEqual([true, false])
})

test('after a pause a whole burst is allowed again, and no more', () => {
  const { take, wait } = allowance()
  take(400)
  wait(3_600_000)
  expect([take(400), take(1)]).toEqual([true, false])
})

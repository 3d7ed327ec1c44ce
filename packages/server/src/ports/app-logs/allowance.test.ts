import { expect, test } from 'vitest'
import { Allowance } from './allowance.ts'

function allowance() {
  let now = 0
  const taking = new Allowance({ bytesPerSecond: 100, burstBytes: 400 }, () => now)
  return { take: (bytes: number) => taking.spend(bytes), wait: (ms: number) => (now += ms) }
}

test('a burst is taken whole', () => {
  const { take } = allowance()
  expect([take(300), take(100), take(1)]).toEqual([true, true, false])
})

test('who goes over it waits for a quarter of a second', () => {
  const { take, wait } = allowance()
  expect([take(400), take(1)]).toEqual([true, false])
  wait(240)
  expect(take(1)).toBe(false)
  wait(10)
  expect([take(25), take(1)]).toEqual([true, false])
})

test('silence gives back the burst and no more', () => {
  const { take, wait } = allowance()
  take(400)
  wait(3_600_000)
  expect([take(400), take(1)]).toEqual([true, false])
})

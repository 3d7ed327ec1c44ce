import { describe, expect, it } from 'vitest'
import { nextProofCheck, nextTry, renewalIn, renewalOf } from './times.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

describe('a certificate', () => {
  it('that waits for its DNS is looked at often at first, and hourly in the end', () => {
    const waits = [0, 5 * minute, hour, 30 * day].map(age => nextProofCheck(1e12, 1e12 - age) - 1e12)
    expect(waits).toEqual([15_000, 30_000, 6 * minute, hour])
  })

  it('that failed is tried again soon, then later each time, up to a day, and later still where the authority says so', () => {
    const waits = [1, 2, 3, 4, 20].map(failures => nextTry(0, failures))
    expect(waits).toEqual([minute / 2, 5 * minute, 10 * minute, 20 * minute, day])
    expect(nextTry(0, 1, 3 * day)).toBe(3 * day)
    expect(nextTry(0, 1, 1e18)).toBe(7 * day)
  })

  it('is renewed when about a third of its life is left, not all at the same moment', () => {
    const life = { from: 0, to: 90 * day }
    const times = ['a.example', 'b.example', 'www.shop.test'].map(name => renewalOf(name, 0, life))
    expect(new Set(times).size).toBe(3)
    for (const time of times) {
      expect(time).toBeGreaterThan(58 * day)
      expect(time).toBeLessThanOrEqual(60 * day)
    }
  })

  it('is renewed in the window of its authority, within bounds', () => {
    const life = { from: 0, to: 90 * day }
    const at = (start: number, end = start) =>
      renewalIn('a.example', 10 * day, { window: { start, end }, ...life })
    expect(at(50 * day)).toBe(50 * day)
    const spread = at(50 * day, 52 * day)
    expect(spread >= 50 * day && spread <= 52 * day).toBe(true)
    expect(at(-5 * day)).toBe(10 * day + hour)
    expect(at(400 * day)).toBe(81 * day)
    // A fresh one is not replaced at once, whatever the authority says.
    expect(renewalIn('a.example', 0, { window: { start: 0, end: 0 }, ...life })).toBe(day)
  })

  it('is not renewed at once, however wrong the clock is', () => {
    expect(renewalOf('a.example', 80 * day, { from: 0, to: 90 * day })).toBe(80 * day + hour)
  })
})

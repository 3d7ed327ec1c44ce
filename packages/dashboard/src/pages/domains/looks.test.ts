import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { lookAgain } from './looks.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Says after how many seconds each look came. */
function looking(look: () => Promise<void> = async () => undefined) {
  const begun = Date.now()
  const at: number[] = []
  const looks = lookAgain(() => {
    at.push((Date.now() - begun) / 1000)
    return look()
  })
  return { at, looks }
}

it('looks after 4, 8, 16, 32 and then every 60 seconds', async () => {
  const { at, looks } = looking()
  await vi.advanceTimersByTimeAsync(240_000)
  expect(at).toEqual([4, 12, 28, 60, 120, 180, 240])
  looks.end()
  await vi.advanceTimersByTimeAsync(240_000)
  expect(at).toHaveLength(7)
})

it('looks at once when it begins anew, and soon again, also if looks fail', async () => {
  const { at, looks } = looking(() => Promise.reject(new Error('offline')))
  await vi.advanceTimersByTimeAsync(100_000)
  looks.anew()
  await vi.advanceTimersByTimeAsync(12_000)
  expect(at).toEqual([4, 12, 28, 60, 100, 104, 112])
})

it('has one look under way at a time', async () => {
  let answer: () => void = () => undefined
  const { at, looks } = looking(() => new Promise(resolve => (answer = resolve)))
  await vi.advanceTimersByTimeAsync(5_000)
  looks.anew()
  looks.anew()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(at).toEqual([4])
  answer()
  await vi.advanceTimersByTimeAsync(4_000)
  expect(at).toEqual([4, 109])
})

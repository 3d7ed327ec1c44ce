import { expect, it } from 'vitest'
import { fewAtOnce } from './few-at-once.ts'

it('runs few at a time, in order, and goes on after a failure', async () => {
  const few = fewAtOnce(2)
  const begun: number[] = []
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = []
  const all = [0, 1, 2, 3].map(i =>
    few(() => {
      begun.push(i)
      return new Promise<void>((resolve, reject) => ends.push({ resolve, reject }))
    }),
  )
  expect(begun).toEqual([0, 1])
  ends[1]?.reject(new Error('no'))
  await expect(all[1]).rejects.toThrow('no')
  expect(begun).toEqual([0, 1, 2])
  ends[0]?.resolve()
  await all[0]
  expect(begun).toEqual([0, 1, 2, 3])
  ends[2]?.resolve()
  ends[3]?.resolve()
  await Promise.all([all[2], all[3]])
  const later = few(async () => 'later')
  expect(await later).toBe('later')
})

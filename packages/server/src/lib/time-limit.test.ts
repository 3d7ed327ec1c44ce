import { expect, it } from 'vitest'
import { withTimeLimit } from './time-limit.ts'

it('resolves with the result of the work, or rejects after the time limit', async () => {
  expect(await withTimeLimit(Promise.resolve('done'), 60_000)).toBe('done')
  await expect(withTimeLimit(Promise.reject(new Error('failed')), 60_000)).rejects.toThrow('failed')
  await expect(withTimeLimit(new Promise(() => undefined), 1, 'too late')).rejects.toThrow('too late')
})
